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
    for _ in 0..<2_000 {
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
