import CaptureModel
import Testing

@testable import CaptureWire

/// What the model becomes on the wire becomes the same again at the other end.
@Suite struct MappedModelTests {
  @Test func settingsAreTheSameAtTheOtherEnd() throws {
    var settings = CaptureModel.CameraSettings()
    settings.focus = .init(mode: .continuous)
    settings.focus?.lensPosition = .init(0.25, .reported)
    settings.focus?.point = try NormalizedPoint(x: 0.25, y: 0.75)
    settings.focus?.range = .near
    settings.focus?.isAdjusting = true
    settings.exposure = .init(mode: .custom)
    settings.exposure?.duration = .init(0.01, .reported)
    settings.exposure?.gain = .init(3, .assumed)
    settings.exposure?.failure = "too dark"
    settings.whiteBalance = .init(mode: .locked)
    settings.whiteBalance?.gains = .init(WhiteBalanceGains(red: 2, green: 1, blue: 1.5), .assumed)
    settings.whiteBalance?.temperature = .init(4000, .derived)
    settings.zoom = .init(factor: .init(2, .reported), kind: .sensorCrop)
    settings.torch = .init(mode: .on)
    settings.torch?.level = .init(0.5, .reported)
    settings.flash = .init(mode: .auto)
    settings.frameDuration = .init(minimum: .init(numerator: 1, denominator: 30))
    let message = try throughTheWire(CaptureWire.CameraSettings(device: "a", settings))
    #expect(message.model == settings)
  }

  @Test func aNodesStatusIsTheSameAtTheOtherEnd() throws {
    var status = NodeStatus()
    status.uptime = .milliseconds(12_345)
    (status.clients, status.clientsTotal, status.clientsRefused) = (1, 2, 3)
    (status.calls, status.callsTotal, status.callsFailed, status.leases) = (4, 5, 6, 7)
    (status.framesDiscarded, status.descriptors, status.descriptorsLimit) = (8, 9, 10)
    (status.residentBytes, status.threads, status.processorTime) = (11, 12, .nanoseconds(13))
    status.stateFailure = .init(message: "full", age: .milliseconds(14))
    status.warnings = ["open"]
    status.viewers = [
      .init(
        camera: CameraID(rawValue: "a"), kind: .video, client: "laptop", address: "192.0.2.7:5",
        age: .milliseconds(15), isWaiting: true),
      .init(camera: CameraID(rawValue: "b"), kind: .photo, user: "root", address: "unix", age: .zero),
    ]
    var camera = CaptureModel.CameraStatus(index: 1, id: CameraID(rawValue: "a"))
    (camera.isStreaming, camera.pixelFormat, camera.size) = (true, .yuyv, FrameSize(width: 4, height: 2))
    (camera.interval, camera.measuredRate, camera.subscribers) = (.init(rate: 30), 29.5, 2)
    (camera.frames, camera.framesFlagged, camera.framesLost, camera.framesDiscarded) = (1, 2, 3, 4)
    (camera.framesEncoded, camera.framesCorrupt, camera.encodingTime) = (5, 6, .nanoseconds(7))
    (camera.restarts, camera.buffers, camera.buffersLent) = (8, 9, 10)
    (camera.lastError, camera.lastErrorAge, camera.response) = ("unplugged", .milliseconds(11), .slow)
    status.cameras = [camera, .init(index: 2, id: CameraID(rawValue: "b"))]
    #expect(try throughTheWire(StatusResponse(status)).model == status)
  }

  @Test func leasesAndProfilesAreTheSameAtTheOtherEnd() throws {
    for token in [nil, LeaseToken(rawValue: "0123456789abcdef0123456789abcdef")] {
      let lease = CameraLease(
        token: token, camera: "a", holder: "anna", remaining: .milliseconds(1500),
        outlivesConnection: token != nil)
      #expect(try throughTheWire(LeaseInfo(lease)).model == lease)
    }
    var settings = CaptureModel.CameraSettings()
    settings.zoom = .init(factor: .init(2, .reported), kind: .digital)
    for settings in [settings, nil] {
      let profile = CaptureModel.SettingsProfile(
        name: "night", camera: CameraID(rawValue: "a"), settings: settings, controls: 3)
      #expect(try throughTheWire(CaptureWire.SettingsProfile(profile)).model == profile)
    }
  }

  @Test func eventsAreTheSameAtTheOtherEnd() throws {
    var settings = CaptureModel.CameraSettings()
    settings.zoom = .init(factor: .init(2, .reported), kind: .digital)
    let event = CaptureModel.SettingsEvent(
      changed: ["zoom.factor"], settings: settings,
      controls: [
        ControlReadout(id: ControlID(rawValue: 9), name: "sharpness", value: .integer(2), menuName: "high"),
        ControlReadout(id: ControlID(rawValue: 10), name: "button", value: nil),
      ],
      change: 7, frame: .init(sequence: 12, timestamp: 99), provenance: .assumed)
    #expect(try throughTheWire(CaptureWire.SettingsEvent(device: "a", event)).model == event)

    var camera = CameraRoster.Entry(
      index: 3,
      description: CameraDescription(
        id: CameraID(rawValue: "a"), name: "A", model: "046d:0825", driver: "uvcvideo", bus: "usb-1",
        path: "/dev/video0", serial: "1A2B", position: .back, isMultiplanar: true, unusableReason: "why"),
      isPresent: true, response: .notResponding)
    camera.isCapturingPhoto = true
    for kind in [CameraRoster.Event.Kind.present, .appeared, .vanished, .changed] {
      let event = CameraRoster.Event(kind: kind, camera: camera)
      #expect(try throughTheWire(DeviceEvent(event)).model == event)
    }
    let listed = CameraRoster.Event(kind: .listed)
    #expect(try throughTheWire(DeviceEvent(listed)).model == listed)
  }

  @Test func aSessionsStatusIsTheSameAtTheOtherEnd() throws {
    var status = SessionStatus(
      name: "door", isNamed: true,
      configuration: .init(
        inputs: [.init(camera: "a")], outputs: [.init(name: "live", kind: .video)],
        connections: [.init(camera: "a", output: "live", orientation: 90)]), owner: "anna")
    (status.isRunning, status.revision, status.subscribers) = (true, 3, 2)
    status.activeFormats = [.init(pixelFormat: .yuyv, size: FrameSize(width: 64, height: 48))]
    status.connectionLimits = [
      .init(
        to: status.configuration.outputs[0], size: FrameSize(width: 64, height: 48), isEncodable: true,
        isTurnable: false)
    ]
    #expect(try throughTheWire(SessionState(status)).model == status)
  }

  @Test func gainsThatNobodyKnowsHaveNoNumber() throws {
    var settings = CaptureModel.CameraSettings()
    settings.whiteBalance = .init(mode: .continuous)
    settings.whiteBalance?.gains = .init(WhiteBalanceGains(red: 2, green: 1, blue: 1.5), .unknown)
    let message = try throughTheWire(CaptureWire.CameraSettings(device: "a", settings))
    #expect(message.whiteBalance?.gains == nil && message.whiteBalance?.gainsProvenance == .unknown)
    #expect(message.model.whiteBalance?.gains?.provenance == .unknown)
  }

  @Test func changesAreTheSameAtTheNode() throws {
    var change = CaptureModel.SettingsChange()
    change.focus = .init(mode: .auto, point: .center, range: .far)
    change.exposure = .init(mode: .custom, duration: 0.01, bias: -1, gain: 7)
    change.whiteBalance = .init(colour: .temperature(.init(temperature: 3200, tint: 10)))
    change.zoom = .init(factor: 3, rate: 0.5)
    change.torch = .init(mode: .on, level: 0.25)
    change.flash = .init(mode: .off)
    change.frameDuration = .init(maximum: .init(numerator: 1, denominator: 15))
    #expect(try throughTheWire(CaptureWire.SettingsChange(change)).model() == change)
    change.whiteBalance = .init(colour: .gains(WhiteBalanceGains(red: 2, green: 1, blue: 3)))
    #expect(try throughTheWire(CaptureWire.SettingsChange(change)).model() == change)
    change.whiteBalance = .init(colour: .greyWorld)
    #expect(try throughTheWire(CaptureWire.SettingsChange(change)).model() == change)
    #expect(try throughTheWire(CaptureWire.SettingsChange(.init())).model() == .init())
  }

  @Test func descriptionsAreTheSameAtTheOtherEnd() throws {
    var description = CaptureModel.SettingsDescription()
    let range = CaptureModel.SettingsDescription.ValueRange(
      minimum: 1, maximum: 9, step: 2, defaultValue: 3, items: [1, 3, 9])
    description.focus = .init(modes: [.locked, .auto])
    description.focus?.softwareModes = [.auto]
    description.focus?.lensPosition = range
    description.focus?.ranges = [.none, .near]
    description.exposure = .init(modes: CaptureModel.ExposureMode.allCases)
    description.exposure?.bias = range
    description.exposure?.iso = range
    description.exposure?.hasPointOfInterest = true
    description.whiteBalance = .init(modes: [.continuous])
    description.whiteBalance?.balances = .init(red: range, blue: range)
    description.whiteBalance?.hasGreyWorld = true
    description.zoom = .init(maximum: 4, kind: .digital, reason: "why")
    description.torch = .init(modes: [.off, .on], hasLevel: true, source: "LED")
    description.controls = [
      .init(
        setting: .gain, control: ControlID(rawValue: 3), name: "gain", conversion: "×",
        delay: .init(frames: 2, provenance: .calibrated))
    ]
    description.frameDuration = range
    let message = try throughTheWire(CaptureWire.SettingsDescription(device: "a", description))
    #expect(message.model == description)
  }

  /// A hostile node may send any numbers; a client reads them, and goes on.
  @Test func noMessageOfANodeEndsAClient() throws {
    var source = RandomSource(seed: 41)
    for _ in 0..<rounds(500) {
      _ = CaptureWire.FrameInfo.random(from: &source).model
      _ = CaptureWire.CameraSettings.random(from: &source).model
      _ = CaptureWire.SettingsDescription.random(from: &source).model
      _ = CaptureWire.AppliedChange.random(from: &source).model
      _ = CaptureWire.CalibrationEvent.random(from: &source).model
      _ = CaptureWire.FormatDescription.random(from: &source).model
      _ = CaptureWire.FormatDescription.random(from: &source).abilities
      _ = CaptureWire.ControlDescription.random(from: &source).model
      _ = CaptureWire.SessionEvent.random(from: &source).model
      _ = CaptureWire.CameraInput.random(from: &source).model
      _ = CaptureWire.Device.random(from: &source).camera
      _ = CaptureWire.ErrorDetails.random(from: &source).model
      _ = CaptureWire.ClampedValue.random(from: &source).model
    }
  }
}

private func throughTheWire<Message: WireMessage>(_ message: Message) throws -> Message {
  try message.encoded().withUnsafeBytes { try Message(decoding: $0) }
}
