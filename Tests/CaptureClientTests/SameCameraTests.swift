import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureClient

/// In a node that has started anew, what a camera was named by may be another camera's. What goes on has the same camera.
@Suite(.timeLimit(.minutes(1))) struct SameCameraTests {
  /// A node with these cameras, in this order. Each gives a frame, and begins a photo.
  private func node(_ ids: [String], tellsCameras: Bool = true) -> FakeConnection {
    let cameras = ids.enumerated().map { index, id in
      Device(index: UInt32(index), id: id, name: "Webcam \(id)", path: "/dev/video\(index)", present: true)
    }
    let frame = VideoFrame(info: CaptureWire.FrameInfo(sequence: 1), data: Payload(copying: [1]))
    var list = FakeConnection.Answer(ending: nil)
    if tellsCameras { list = .init(messages: [ListDevicesResponse(devices: cameras).raw()]) }
    return FakeConnection([
      DevicesMethods.list: list,
      VideoMethods.subscribe: .init(messages: [frame.raw()], ending: nil),
      PhotosMethods.capture: .init(messages: [PhotoEvent(stage: .willCapture).raw()], ending: nil),
    ])
  }

  @Test(
    arguments: [
      (["usb-a", "usb-b"], "0", "usb-a"), (["usb-a", "usb-b"], "/dev/video1", "usb-b"),
      (["usb-a", "usb-b"], "webcam usb-b", "usb-b"), (["usb-a", "usb-b"], "usb-a", "usb-a"),
      // An identity comes before an index.
      (["usb-a", "0"], "0", "0"),
    ] as [([String], String, String)])
  func framesGoOnWithTheSameCamera(cameras: [String], name: String, identity: String) async throws {
    let first = node(cameras)
    let rig = await Rig(first)
    var frames = rig.node.camera(name).videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    first.lose("the node was restarted")
    let second = node(cameras.reversed())
    rig.attempts.yield(.success(second))
    #expect(try await frames.next()?.resumption?.cause == .connectionLost)
    #expect(try SubscribeRequest(first.requests[0]).device == name)
    #expect(try SubscribeRequest(second.requests[1]).device == identity)
    await rig.node.close()
  }

  @Test func aPhotoGoesOnWithTheSameCamera() async throws {
    let first = node(["usb-a", "usb-b"])
    let rig = await Rig(first)
    let stages = rig.node.camera("0").photoOutput.stages(of: PhotoSettings())
    let reader = Task { for try await _ in stages {} }
    await eventually("it waits for the second stage") {
      first.requests.count == 2 && first.waitingReaders == 1
    }
    first.lose("the node was restarted")
    let second = node(["usb-b", "usb-a"])
    rig.attempts.yield(.success(second))
    await eventually("it asks again") { second.requests.count == 2 }
    #expect(try CapturePhotoRequest(second.requests[1]).device == "usb-a")
    reader.cancel()
    #expect(await failure { try await reader.value }?.code == .cancelled)
    await rig.node.close()
  }

  @Test func aWatchOfSettingsGoesOnWithTheCameraThatItsEventsName() async throws {
    let first = ResumingEventsTests.connection(ResumingEventsTests.settings(0.005))
    let rig = await Rig(first)
    var events = rig.node.camera("0").settingsEvents().makeAsyncIterator()
    _ = try await events.next()
    first.lose("the node was restarted")
    let second = ResumingEventsTests.connection(ResumingEventsTests.settings(0.002))
    rig.attempts.yield(.success(second))
    #expect(try await events.next()?.resumption != nil)
    #expect(first.requests.count == 1)
    #expect(try WatchSettingsRequest(second.requests[1]).device == "a")
    await rig.node.close()
  }

  /// No frame is handed out before it is known whose it is. The list of the next run would name another camera.
  @Test func aLossBeforeTheCameraIsKnownBeginsAnew() async throws {
    let first = node(["usb-a", "usb-b"], tellsCameras: false)
    let rig = await Rig(first)
    let stream = rig.node.camera("0").videoOutput.frames()
    let reader = Task { () async throws -> ReceivedFrame? in
      for try await frame in stream { return frame }
      return nil
    }
    await eventually("it asks for the cameras") { first.requests.count == 2 }
    first.lose("the node was restarted")
    let second = node(["usb-b", "usb-a"])
    rig.attempts.yield(.success(second))
    #expect(try await reader.value?.resumption?.cause == .connectionLost)
    #expect(try SubscribeRequest(second.requests[0]).device == "0")
    await rig.node.close()
  }

  /// A node takes a part of an identity for the camera, where no other has it.
  @Test func aCameraWhoseIdentityBeginsAlikeIsNotTakenForIt() async throws {
    let first = node(["usb-a", "usb-a-if2"])
    let rig = await Rig(first)
    let stream = rig.node.camera("usb-a").videoOutput.frames()
    let reader = Task { () async throws -> ReceivedFrame? in
      for try await frame in stream where frame.resumption != nil { return frame }
      return nil
    }
    await eventually("it waits for the second frame") {
      first.requests.count == 2 && first.waitingReaders == 1
    }
    first.lose("the node was restarted")
    let second = node(["usb-a-if2"])
    rig.attempts.yield(.success(second))
    await eventually("it asks for the cameras again and again") { second.requests.count > 2 }
    let subscribed = try second.requests.map { try SubscribeRequest($0).device }
    #expect(subscribed.allSatisfy { $0.isEmpty }, "it was asked for its cameras alone")
    second.lose("the node was restarted once more")
    let third = node(["usb-a-if2", "usb-a"])
    rig.attempts.yield(.success(third))
    #expect(try await reader.value?.resumption?.cause == .connectionLost)
    #expect(try SubscribeRequest(third.requests[1]).device == "usb-a")
    await rig.node.close()
  }

  @Test func aPhotoOfACameraThatIsNotThereAnyMoreIsOver() async throws {
    let first = node(["usb-a", "usb-a-if2"])
    let rig = await Rig(first)
    let stages = rig.node.camera("usb-a").photoOutput.stages(of: PhotoSettings())
    let reader = Task { for try await _ in stages {} }
    await eventually("it waits for the second stage") {
      first.requests.count == 2 && first.waitingReaders == 1
    }
    first.lose("the node was restarted")
    let second = node(["usb-a-if2"])
    rig.attempts.yield(.success(second))
    let error = await failure { try await reader.value }
    #expect(error?.code == .notFound && error?.details?.reason == .unknownName)
    #expect(second.requests.count == 1, "it asked for the cameras alone")
    await rig.node.close()
  }

  @Test func aListThatCameTooLateIsAskedForAgain() async throws {
    let frames = ([1, 2] as [UInt64]).map { number in
      VideoFrame(info: CaptureWire.FrameInfo(sequence: number), data: Payload(copying: [1])).raw()
    }
    let late = FakeConnection.Answer(ending: .failure(RPCError(.deadlineExceeded, "no answer came in time")))
    let camera = Device(id: "usb-a", present: true)
    let list = FakeConnection.Answer(messages: [ListDevicesResponse(devices: [camera]).raw()])
    let first = FakeConnection(inTurn: [
      DevicesMethods.list: [late, list], VideoMethods.subscribe: [.init(messages: frames, ending: nil)],
    ])
    let rig = await Rig(first)
    var stream = rig.node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await stream.next()
    _ = try await stream.next()
    first.lose("the node was restarted")
    let second = node(["usb-b", "usb-a"])
    rig.attempts.yield(.success(second))
    _ = try await stream.next()
    #expect(try SubscribeRequest(second.requests[1]).device == "usb-a")
    await rig.node.close()
  }

  @Test func whatNeedsNoListAsksForNone() async throws {
    let connection = node(["usb-a", "usb-b"])
    var frames = RemoteNode(connection).camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    #expect(connection.requests.count == 1, "without a policy nothing goes on")
    let rig = await Rig(connection)
    var listed = try await rig.node.cameras()[0].videoOutput.frames().makeAsyncIterator()
    _ = try await listed.next()
    #expect(connection.requests.count == 3, "the list has told the identity")
    await rig.node.close()
  }

  @Test func framesComeFromTheSameCameraOfANodeWithAnotherOrder() async throws {
    let (small, large) = ("synthetic:320x240@100", "synthetic:physics:640x480@30")
    let old = try await LiveNode(cameras: [small], then: [large])
    let new = try await LiveNode(cameras: [large], then: [small])
    let (node, cable) = try await old.client()
    var frames = node.camera("0").videoOutput.frames().makeAsyncIterator()
    #expect(try await frames.next()?.info.size == FrameSize(width: 320, height: 240))
    cable.plug(into: new.address)
    await old.stop()
    var frame = try #require(try await frames.next())
    while frame.resumption == nil { frame = try #require(try await frames.next()) }
    #expect(frame.info.size == FrameSize(width: 320, height: 240))
    let now = try await node.cameras().map(\.name)
    #expect(now == ["synthetic-physics-0", "synthetic-0"])
    await new.stop()
  }
}
