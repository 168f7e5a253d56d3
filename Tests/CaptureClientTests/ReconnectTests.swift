import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureClient

@Suite(.timeLimit(.minutes(1))) struct ReconnectTests {
  private func frame(_ sequence: UInt64) -> RawMessage {
    VideoFrame(
      info: CaptureWire.FrameInfo(sequence: sequence), data: Payload(copying: [1, 2, 3])
    ).raw()
  }

  private func video(_ frames: ClosedRange<UInt64>, ending: Result<Void, RPCError>? = nil)
    -> FakeConnection.Answer
  {
    .init(messages: frames.map(frame), ending: ending)
  }

  private func camera(_ id: String) -> RawMessage {
    DeviceEvent(kind: .present, device: Device(id: id)).raw()
  }

  @Test func callsFailAtOnceWhileItIsAwayAndWorkAgain() async throws {
    let answer = FakeConnection.Answer(messages: [InfoResponse(name: "second").raw()])
    let first = FakeConnection([NodeMethods.info: .init(messages: [InfoResponse(name: "first").raw()])])
    let rig = await Rig(first)
    #expect(try await rig.node.info().name == "first")
    first.lose("a cable was pulled")
    #expect(await rig.change() == .away(reason: "a cable was pulled", nextAttempt: .milliseconds(1)))
    let error = await #expect(throws: CaptureError.self) { try await rig.node.info() }
    #expect(error?.code == .unavailable && error?.message.contains("a cable was pulled") == true)
    rig.attempts.yield(.failure(RPCError(.unavailable, "nobody listens")))
    #expect(await rig.change() == .away(reason: "nobody listens", nextAttempt: .milliseconds(2)))
    rig.attempts.yield(.success(FakeConnection([NodeMethods.info: answer])))
    #expect(await rig.change() == .restored)
    #expect(try await rig.node.info().name == "second")
    await rig.node.close()
  }

  @Test func aStreamGoesOnWithADiscontinuity() async throws {
    let first = FakeConnection([VideoMethods.subscribe: video(7...8)])
    let rig = await Rig(first)
    var frames = rig.node.camera("0").videoOutput.frames().makeAsyncIterator()
    #expect(try await frames.next()?.info.sequence == 7)
    #expect(try await frames.next()?.info.sequence == 8)
    first.lose("a cable was pulled")
    rig.attempts.yield(.success(FakeConnection([VideoMethods.subscribe: video(0...1)])))
    let resumed = try await frames.next()
    #expect(resumed?.info.sequence == 0)
    #expect(resumed?.discontinuity?.reason == "the connection was lost: a cable was pulled")
    #expect(try await frames.next()?.discontinuity == nil)
    await rig.node.close()
    let error = await #expect(throws: CaptureError.self) { _ = try await frames.next() }
    #expect(error?.code == .unavailable)
  }

  @Test func aCameraThatANewNodeHasNotFoundYetIsWaitedFor() async throws {
    let first = FakeConnection([VideoMethods.subscribe: video(0...0)])
    let rig = await Rig(first)
    var frames = rig.node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    first.lose("the node was restarted")
    let missing = FakeConnection.Answer(ending: .failure(RPCError(.notFound, "there is no camera '0'")))
    rig.attempts.yield(
      .success(FakeConnection(inTurn: [VideoMethods.subscribe: [missing, missing, video(5...5)]])))
    #expect(try await frames.next()?.info.sequence == 5)
    await rig.node.close()
  }

  @Test func aStreamThatEndsWhileTheConnectionIsThereHasEnded() async throws {
    let unplugged = RPCError(.unavailable, "the camera was unplugged")
    let rig = await Rig(
      FakeConnection([VideoMethods.subscribe: video(0...0, ending: .failure(unplugged))]))
    var frames = rig.node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    let error = await #expect(throws: CaptureError.self) { _ = try await frames.next() }
    #expect(error == CaptureError(.unavailable, "the camera was unplugged"))
    await rig.node.close()
  }

  @Test func aReaderThatIsCancelledDoesNotWaitForTheConnection() async throws {
    let first = FakeConnection([VideoMethods.subscribe: video(0...0)])
    let rig = await Rig(first)
    let stream = rig.node.camera("0").videoOutput.frames()
    let (frames, frame) = AsyncStream.makeStream(of: Void.self)
    let reader = Task { for try await _ in stream { frame.yield() } }
    _ = await frames.first { true }
    first.lose("a cable was pulled")
    _ = await rig.change()
    reader.cancel()
    let error = await #expect(throws: CaptureError.self) { try await reader.value }
    #expect(error?.code == .cancelled)
    await rig.node.close()
  }

  @Test func theWatchOfCamerasBeginsAnew() async throws {
    let answer = FakeConnection.Answer(
      messages: [camera("a"), DeviceEvent(kind: .listed).raw()], ending: nil)
    let first = FakeConnection([DevicesMethods.watch: answer])
    let rig = await Rig(first)
    var changes = rig.node.cameraEvents().makeAsyncIterator()
    _ = try await changes.next()
    #expect(try await changes.next()?.value == .listed)
    first.lose("a cable was pulled")
    rig.attempts.yield(
      .success(FakeConnection([DevicesMethods.watch: .init(messages: [camera("b")], ending: nil)])))
    let resumed = try await changes.next()
    #expect(resumed?.resumption?.cause == .connectionLost)
    guard case .present(let camera) = resumed?.value else {
      Issue.record("no camera")
      return
    }
    #expect(camera.id.rawValue == "b")
    await rig.node.close()
  }
}
