import CaptureModel
import CaptureSystem
import CaptureWire
import Testing

@testable import CaptureClient

@Suite struct RemoteNodeTests {
  private func sent<M: WireMessage>(_ connection: FakeConnection, as: M.Type) throws -> M {
    try M(try #require(connection.requests.first))
  }

  @Test func camerasKeepIndexAndPresence() async throws {
    let response = ListDevicesResponse(devices: [
      Device(index: 3, id: "usb-1", name: "C920", driver: "uvcvideo", present: true, usable: true),
      Device(index: 4, id: "csi-0", present: false, usable: false, unusableReason: "only libcamera"),
    ])
    let node = RemoteNode(FakeConnection([DevicesMethods.list: .init(messages: [response.raw()])]))
    let cameras = try await node.cameras()
    #expect(cameras.map(\.info?.index) == [3, 4])
    #expect(cameras.map(\.info?.isPresent) == [true, false])
    #expect(cameras.map(\.info?.description.unusableReason) == [nil, "only libcamera"])
  }

  @Test func settingsAreSentAsTheyWereWritten() async throws {
    let connection = FakeConnection([
      DevicesMethods.setControls: .init(messages: [
        SetControlsResponse(readings: [
          ControlReading(
            id: 9, name: "auto_exposure", value: CaptureWire.ControlValue(.integer(1)), menuName: "Manual")
        ]).raw()
      ])
    ])
    let readouts = try await RemoteNode(connection).camera("usb-1").setControls(
      [("auto_exposure", .literal("Manual")), ("gain", .value(.integer(-4)))])
    #expect(
      readouts.readouts == [
        ControlReadout(
          id: ControlID(rawValue: 9), name: "auto_exposure", value: .integer(1), menuName: "Manual")
      ])
    let request = try sent(connection, as: SetControlsRequest.self)
    #expect(request.device == "usb-1" && !request.clamp)
    #expect(request.assignments.map(\.name) == ["auto_exposure", "gain"])
    #expect(
      request.assignments.map(\.kind) == [
        .literal("Manual"), .value(CaptureWire.ControlValue(.integer(-4))),
      ])
  }

  @Test func changesAreReportedAndUnknownOnesLeftOut() async throws {
    let events = [
      DeviceEvent(kind: .present, device: Device(id: "a", usable: true)), DeviceEvent(kind: .listed),
      DeviceEvent(kind: DeviceEvent.Kind(rawValue: 99), device: Device(id: "a")),
      DeviceEvent(kind: .vanished, device: Device(id: "a", usable: true)),
    ]
    let node = RemoteNode(FakeConnection([DevicesMethods.watch: .init(messages: events.map { $0.raw() })]))
    let camera = CameraInfo(Device(id: "a", usable: true).values)
    var changes: [CameraEvent] = []
    for try await change in node.cameraEvents() { changes.append(change.value) }
    #expect(changes == [.present(camera), .listed, .vanished(camera)])
  }

  @Test func aPhotoComesAfterItsStages() async throws {
    let info = FrameInfo(sequence: 12)
    let connection = FakeConnection([
      PhotosMethods.capture: .init(messages: [
        PhotoEvent(stage: .willCapture).raw(), PhotoEvent(stage: .didCapture, info: info).raw(),
        PhotoEvent(
          stage: .photo, info: info, settled: .observed, settlingMs: 200, settlingFrames: 6,
          data: Payload(copying: [0xFF, 0xD8])
        ).raw(),
      ])
    ])
    var stages: [PhotoStage] = []
    let photo = try await RemoteNode(connection).camera("0").photoOutput.capturePhoto(
      PhotoSettings(size: FrameSize(width: 64, height: 48), quality: 90, settling: .zero)
    ) { stages.append($0) }
    #expect(stages.count == 3)
    guard case .willCapture = stages[0], case .didCapture(info.model) = stages[1], case .photo = stages[2]
    else {
      Issue.record("\(stages)")
      return
    }
    #expect(photo.payload.bytes == [0xFF, 0xD8])
    #expect(photo.info.sequence == 12)
    #expect(
      photo.settling == PhotoSettling(.observed, waited: .milliseconds(200), frames: 6))
    let request = try sent(connection, as: CapturePhotoRequest.self)
    let settings = try #require(request.settings)
    #expect(settings.rendition?.size == Size(width: 64, height: 48) && settings.rendition?.quality == 90)
    #expect(settings.settle == SettlingBound(longestMs: 0))
  }

  @Test func aCallThatEndsWithoutItsPhotoIsDataLoss() async {
    let node = RemoteNode(FakeConnection([PhotosMethods.capture: .init()]))
    let error = await #expect(throws: CaptureError.self) {
      try await node.camera("0").photoOutput.capturePhoto()
    }
    #expect(error?.code == .dataLoss)
  }
}
