import CaptureModel
import CaptureSystem
import CaptureWire
import Testing

@testable import CaptureClient

/// A node of tomorrow talks to this client: every enum of its answers has a value that it does not know, and messages have a field and a submessage, also those
/// within others. `Tests/Support/docs/test_paths.py` holds that no enum is left out.
@Suite(.timeLimit(.minutes(1))) struct NewerNodeTests {
  /// Field 900: a number; field 901: four bytes.
  private static let unknown: [UInt8] = [0xA0, 0x38, 0x07, 0xAA, 0x38, 0x04, 0x08, 0x01, 0x10, 0x02]

  private static func node(_ method: MethodDescriptor, _ answers: any WireMessage...) -> RemoteNode {
    let messages = answers.map { RawMessage(body: $0.encoded() + unknown) }
    return RemoteNode(FakeConnection([method: .init(messages: messages)]))
  }

  /// A field of a message that is one itself, with what nobody here knows behind its own fields.
  private static func field(_ number: UInt8, _ message: [UInt8]) -> [UInt8] {
    let bytes = message + unknown
    precondition(bytes.count < 128 && number < 16, "a length or a field of more than one byte")
    return [number << 3 | 2, UInt8(bytes.count)] + bytes
  }

  @Test func whatItAddsDeepInAMessageIsPassedOver() async throws {
    // CameraSettings.focus.lens_position.
    let lens = Self.field(2, Observed(value: 0.5, provenance: .reported).encoded())
    let focus = Self.field(2, FocusSettings(mode: .locked).encoded() + lens)
    let settings = RawMessage(body: CameraSettings(device: "a").encoded() + focus + Self.unknown)
    let connection = FakeConnection([SettingsMethods.get: .init(messages: [settings])])
    let read = try await RemoteNode(connection).camera("a").settings()
    #expect(read.focus?.mode == .locked && read.focus?.lensPosition?.value == 0.5)
    // ListDevicesResponse.devices.
    let cameras = Self.field(1, Device(index: 3, id: "a", present: true).encoded())
    let list = FakeConnection([DevicesMethods.list: .init(messages: [RawMessage(body: cameras)])])
    #expect(try await RemoteNode(list).cameras().map(\.info?.index) == [3])
  }

  @Test func itsCamerasAndTheirChangesAreUsable() async throws {
    let device = Device(
      index: 1, id: "a", position: .init(rawValue: 99), present: true, usable: true,
      response: .init(rawValue: 99), media: [.init(rawValue: 99), .video])
    let cameras = try await Self.node(DevicesMethods.list, ListDevicesResponse(devices: [device])).cameras()
    #expect(
      cameras.map(\.info?.index) == [1] && cameras[0].info?.isPresent == true
        && cameras[0].info?.response == .responding)
    let events = Self.node(
      DevicesMethods.watch, DeviceEvent(kind: .init(rawValue: 99), device: device),
      DeviceEvent(kind: .appeared, device: device)
    ).cameraEvents()
    var iterator = events.makeAsyncIterator()
    // The event that nobody here knows is left out.
    guard case .appeared(let camera)? = try await iterator.next()?.value else {
      Issue.record("the event that is known did not come")
      return
    }
    #expect(camera.index == 1)
  }

  @Test func itsFormatsInputsAndSettingsAreUsable() async throws {
    let format = FormatDescription(
      pixelFormat: PixelFormat.yuyv.rawValue, jpeg: true, jpegConversion: .init(rawValue: 99))
    let formats = try await Self.node(DevicesMethods.formats, FormatsResponse(formats: [format])).camera("a")
      .formats()
    #expect(formats.count == 1 && formats[0].abilities.isAvailableAsJPEG)
    let input = CameraInput(
      name: "HDMI", kind: .init(rawValue: 99), selected: true, status: .init(rawValue: 99))
    let inputs = try await Self.node(DevicesMethods.inputs, InputsResponse(inputs: [input])).camera("a")
      .inputs()
    #expect(inputs.map(\.name) == ["HDMI"])
    let settings = CameraSettings(
      device: "a",
      focus: FocusSettings(
        mode: .locked, lensPosition: .init(value: 0.5, provenance: .init(rawValue: 99)),
        range: .init(rawValue: 99)),
      // Nobody here could say what these modes and this kind do.
      exposure: ExposureSettings(mode: .init(rawValue: 99)),
      whiteBalance: WhiteBalanceSettings(mode: .init(rawValue: 99)),
      zoom: ZoomSettings(factor: .init(value: 2, provenance: .reported), kind: .init(rawValue: 99)),
      torch: LightSettings(mode: .init(rawValue: 99)))
    let read = try await Self.node(SettingsMethods.get, settings).camera("a").settings()
    #expect(read.focus?.lensPosition?.value == 0.5 && read.focus?.range == nil)
    #expect(read.exposure == nil && read.whiteBalance == nil && read.zoom == nil && read.torch == nil)
    let unfocused = CameraSettings(device: "a", focus: FocusSettings(mode: .init(rawValue: 99)))
    #expect(try await Self.node(SettingsMethods.get, unfocused).camera("a").settings().focus == nil)
  }

  @Test func itsControlsAreUsable() async throws {
    let control = ControlDescription(id: 7, name: "later", type: .init(rawValue: 99), maximum: 9, step: 1)
    let controls = try await Self.node(
      DevicesMethods.controls, ControlsResponse(controls: [control])
    ).camera("a").controls()
    #expect(controls.map(\.description.name) == ["later"] && controls[0].value == nil)
  }

  @Test func whatItLetsAClientDoIsTheLeastThatIsKnown() async throws {
    let answer = AccessStatusResponse(
      client: "desk", role: .init(rawValue: 99), authorization: .init(rawValue: 99), reason: "it is new",
      wanted: CaptureWire.WantedAccess(
        cameras: ["usb-*"], role: .init(rawValue: 99), media: [.init(rawValue: 99), .library]),
      grants: [Grant(role: .view, media: [.init(rawValue: 99)]), Grant(role: .view, media: [.video])])
    let authorization = try await Self.node(AccessMethods.status, answer).authorization()
    #expect(authorization.status == .restricted && authorization.role == nil)
    #expect(authorization.reason == "it is new" && authorization.grants.count == 1)
    #expect(authorization.wanted?.role == nil && authorization.wanted?.media == [.library])
  }

  /// Nobody who takes frames is left out, and none is shown as taking something else.
  @Test func itsViewersAreUsable() async throws {
    let viewers = [3, 2, 1, 0].map { Viewer(device: "a", kind: .init(rawValue: $0), address: "unix") }
    let status = try await Self.node(NodeMethods.status, StatusResponse(viewers: viewers)).status()
    #expect(status.viewers.map(\.kind) == [nil, .photo, .video, nil])
    #expect(status.viewers.allSatisfy { $0.camera.rawValue == "a" && $0.address == "unix" })
  }

  @Test func itsSessionsAreUsable() async throws {
    let state = SessionState(
      session: "door", revision: 3,
      configuration: SessionConfiguration(
        inputs: [SessionInput(device: "a")],
        outputs: [
          SessionOutput(name: "later", kind: .init(rawValue: 99)), SessionOutput(name: "live", kind: .video),
        ], preset: .init(rawValue: 99)),
      errorCode: 99, errorDetails: ErrorDetails(reason: .init(rawValue: 9999), holder: "x"),
      inputMedia: [.init(rawValue: 99)], outputMedia: [.init(rawValue: 99)])
    let sessions = try await Self.node(
      SessionsMethods.list, ListSessionsResponse(sessions: [state])
    ).sessions()
    #expect(sessions.map(\.name) == ["door"] && sessions[0].configuration.outputs.map(\.name) == ["live"])
    #expect(sessions[0].error?.details?.reason == .unspecified && sessions[0].error?.details?.holder == "x")
    let presets = try await Self.node(
      SessionsMethods.presets,
      PresetsResponse(presets: [
        PresetSupport(preset: .init(rawValue: 99), format: ActiveFormat()),
        PresetSupport(preset: .high, format: ActiveFormat(size: Size(width: 640, height: 480))),
      ])
    ).camera("a").presets()
    #expect(presets.map(\.preset) == [.high])
    let events = Self.node(
      SessionsMethods.events, SessionEvent(kind: .init(rawValue: 99), state: state),
      SessionEvent(kind: .interrupted, reason: .init(rawValue: 99), state: state)
    ).session("door").events()
    var iterator = events.makeAsyncIterator()
    guard case .interrupted? = try await iterator.next()?.kind else {
      Issue.record("the event that is known did not come")
      return
    }
  }

  @Test func itsPhotosAndFramesAreUsable() async throws {
    let info = FrameInfo(
      sequence: 7, timestampClock: .init(rawValue: 99), timestampSource: .init(rawValue: 99),
      encoding: .init(rawValue: 99), size: Size(width: 2, height: 2),
      colour: Colour(
        space: .init(rawValue: 99), transferFunction: .init(rawValue: 99), matrix: .init(rawValue: 99),
        range: .init(rawValue: 99)))
    let bytes = Payload(copying: [0xFF, 0xD8])
    func raw(_ message: some WireMessage, _ payload: Payload? = nil) -> RawMessage {
      RawMessage(body: message.encoded() + Self.unknown, payload: payload)
    }
    let photos = FakeConnection([
      PhotosMethods.capture: .init(messages: [
        raw(PhotoEvent(stage: .init(rawValue: 99))),
        raw(
          PhotoEvent(
            stage: .photo, info: info, flash: .init(rawValue: 99), settled: .init(rawValue: 99),
            resource: PhotoResource(
              kind: .init(rawValue: 99), type: .init(rawValue: 99), orientationMethod: .init(rawValue: 99))),
          bytes),
      ])
    ])
    let photo = try await RemoteNode(photos).camera("a").photoOutput.capturePhoto()
    #expect(photo.payload.bytes == [0xFF, 0xD8] && photo.info.sequence == 7)
    #expect(photo.fileType == .jpeg && photo.orientationMethod == nil && photo.flash == nil)
    let video = FakeConnection([
      VideoMethods.subscribe: .init(
        messages: [raw(VideoFrame(info: info, discontinuity: .init(rawValue: 99)), bytes)], ending: nil)
    ])
    let stream = RemoteNode(video).camera("a").videoOutput.frames()
    var frames = stream.makeAsyncIterator()
    #expect(try await frames.next()?.info.sequence == 7)
    stream.cancel()
  }

  @Test func itsLibraryIsUsable() async throws {
    let asset = Asset(
      id: "a", media: .init(rawValue: 99), resources: [AssetResource(mediaType: "image/later", bytes: 7)],
      origin: .init(rawValue: 99))
    let page = try await Self.node(
      LibraryMethods.list, AssetPage(assets: [asset], nextPageToken: "next", token: "t")
    ).library.page()
    #expect(page.assets.map(\.id) == ["a"] && page.next == "next" && page.token == "t")
    #expect(
      page.assets[0].media == .unknown && page.assets[0].origin == .unknown && page.assets[0].bytes == 7)
    let changes = Self.node(
      LibraryMethods.watch, AssetEvent(kind: .init(rawValue: 99), asset: asset, token: "1"),
      AssetEvent(kind: .added, asset: asset, token: "2")
    ).library.changes()
    var iterator = changes.makeAsyncIterator()
    // The event that nobody here knows is left out.
    let change = try await iterator.next()?.value
    #expect(change?.kind == .added && change?.asset?.id == "a" && change?.token == "2")
    let permission = CaptureWire.LibraryAuthorization(
      add: .init(rawValue: 99), read: .authorized, remove: .init(rawValue: 99))
    let authorization = try await Self.node(LibraryMethods.authorization, permission).library.authorization()
    #expect(authorization.add == .unknown && authorization.read == .authorized)
    let state = try await Self.node(
      LibraryMethods.status, CaptureWire.LibraryStatus(state: .init(rawValue: 99), assets: 3)
    ).library.status()
    #expect(state.state == .unknown && state.assets == 3)
  }

  @Test func itsJobsAreUsable() async throws {
    let job = Job(
      id: "panorama-1", state: .init(rawValue: 99),
      timelapse: TimelapseSettings(
        device: "a", intervalMs: 1_000,
        photo: PhotoSettings(
          rendition: Rendition(gravity: .init(rawValue: 99), subsampling: .init(rawValue: 99)),
          store: .init(rawValue: 99), fullSize: .init(rawValue: 99)),
        lockExposure: .init(rawValue: 99)), done: 3)
    let jobs = try await Self.node(JobsMethods.list, JobList(jobs: [job, Job(id: "later-2")])).jobs()
    #expect(jobs.map(\.id) == ["panorama-1", "later-2"] && jobs.map(\.state) == [.unknown, .unknown])
    #expect(jobs[0].done == 3 && !jobs[0].locksExposure)
    let events = Self.node(
      JobsMethods.watch, JobEvent(kind: .init(rawValue: 99), job: job), JobEvent(kind: .changed, job: job)
    ).jobEvents()
    var iterator = events.makeAsyncIterator()
    #expect(try await iterator.next()?.value.kind == .changed)
  }

  @Test func itsClientsAreListedWithARoleThatTheyHave() async throws {
    let clients = try await Self.node(
      AccessMethods.clients,
      ListClientsResponse(clients: [ClientInfo(name: "later", role: .init(rawValue: 99), connections: 1)])
    ).clients()
    // A role that nobody here knows is taken for the least one.
    #expect(clients.map(\.name) == ["later"] && clients[0].role == "view")
  }
}
