import CaptureModel
import CaptureSynthetic
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureNode

/// Who takes frames now is told as long as it takes them.
@Suite(.timeLimit(.minutes(2))) struct ViewersTests {
  private func viewers(_ client: ClientConnection) async throws -> [CaptureWire.Viewer] {
    try await NodeClient(client).status(StatusRequest(), options: bounded).viewers
  }

  /// Takes frames until it is cancelled, or cannot go on.
  private func view(_ client: ClientConnection, _ request: SubscribeRequest) -> Task<RPCError?, Never> {
    Task {
      await status {
        for try await _ in try await VideoClient(client).subscribe(request, options: CallOptions()) {}
      }
    }
  }

  /// Waits until those that `client` is told of are so.
  private func see(
    _ what: Comment, _ client: ClientConnection, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: ([CaptureWire.Viewer]) -> Bool
  ) async {
    await eventually(what, sourceLocation: sourceLocation) {
      (try? await viewers(client)).map(condition) == true
    }
  }

  @Test func aCallIsListedUntilItEnds() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    #expect(try await viewers(fixture.client).isEmpty)
    let viewing = view(fixture.client, SubscribeRequest(device: "0"))
    await see("it is listed", fixture.client) { $0.count == 1 }
    let viewer = try #require(try await viewers(fixture.client).first)
    #expect(viewer.device == "synthetic-0" && viewer.kind == .video && !viewer.waiting)
    #expect(viewer.client.isEmpty && viewer.user.isEmpty && viewer.address.hasPrefix("127.0.0.1:"))
    await see("it gets older", fixture.client) { ($0.first?.ageMs ?? 0) > viewer.ageMs }
    viewing.cancel()
    await see("it is gone", fixture.client, \.isEmpty)
    await fixture.stop()
  }

  @Test func itEndsWithItsConnection() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let other = try await ClientConnection.connect(to: fixture.address)
    _ = view(other, SubscribeRequest(device: "0"))
    _ = view(other, SubscribeRequest(device: "0", rate: 5))
    await see("both calls are listed", fixture.client) { $0.count == 2 }
    #expect(Set(try await viewers(fixture.client).map(\.address)).count == 1)
    await other.close()
    await see("they are gone", fixture.client, \.isEmpty)
    await fixture.stop()
  }

  @Test func itEndsWithItsCameraAndComesAgainWithTheNextCall() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    let viewing = view(fixture.client, SubscribeRequest(device: "0"))
    await see("it is listed", fixture.client) { $0.count == 1 }
    await provider.camera(0)?.inject(.unplug(.milliseconds(50)))
    #expect(await viewing.value?.code == .unavailable)
    await see("it is gone", fixture.client, \.isEmpty)
    // The list may call a camera present for a moment after its stream has ended: only a call that succeeds shows that it is back.
    let again = Task {
      while !Task.isCancelled,
        await view(fixture.client, SubscribeRequest(device: "0")).value?.code == .unavailable
      {}
    }
    await see("it is listed again", fixture.client) { $0.count == 1 }
    again.cancel()
    await fixture.stop()
  }

  private func door(_ camera: Int) -> ConfigureSessionRequest {
    ConfigureSessionRequest(
      session: "door",
      configuration: CaptureWire.SessionConfiguration(
        inputs: [SessionInput(device: "synthetic-\(camera)")],
        outputs: [SessionOutput(name: "video", kind: .video)]))
  }

  @Test func aSessionsViewerIsAtTheCameraThatTheSessionHas() async throws {
    let spec = try SyntheticSpec.parse("synthetic:320x240@100")!
    let provider = SyntheticProvider(cameras: [spec, spec])
    let fixture = try await Fixture(provider)
    let sessions = SessionsClient(fixture.client)
    _ = try await sessions.configure(door(0), options: bounded)
    let viewing = view(fixture.client, SubscribeRequest(session: "door"))
    await see("it waits", fixture.client) { $0.map(\.device) == ["synthetic-0"] && $0[0].waiting }
    _ = try await sessions.start(StartSessionRequest(session: "door"), options: bounded)
    #expect(try await viewers(fixture.client).map(\.waiting) == [false])
    await see("some time goes by", fixture.client) { ($0.first?.ageMs ?? 0) > 50 }
    let before = try #require(try await viewers(fixture.client).first)

    let switched = ContinuousClock.now
    _ = try await sessions.configure(door(1), options: bounded)
    let now = try #require(try await viewers(fixture.client).first)
    #expect(now.device == "synthetic-1" && !now.waiting)
    // It counts from the switch on.
    #expect(.milliseconds(now.ageMs) <= ContinuousClock.now - switched && before.ageMs > 50)

    await provider.camera(1)?.inject(.unplug(.seconds(60)))
    await see("it waits for the camera", fixture.client) { $0.first?.waiting == true }
    provider.plugIn(1)
    await see("the camera is back", fixture.client) { $0.first?.waiting == false }
    _ = try await sessions.stop(StopSessionRequest(session: "door"), options: bounded)
    #expect(try await viewers(fixture.client).map(\.waiting) == [true])
    _ = try await sessions.close(CloseSessionRequest(session: "door"), options: bounded)
    #expect(await viewing.value != nil)
    await see("it is gone", fixture.client, \.isEmpty)
    await fixture.stop()
  }

  @Test func photosAreListedWhileTheyAreTaken() async throws {
    let (fixture, _) = try await Fixture.synthetic("synthetic:160x120@2")
    let taking = Task {
      let request = CapturePhotoRequest(device: "0", settings: PhotoSettings(burst: 100))
      for try await _ in try await fixture.photos.capture(request, options: CallOptions()) {}
    }
    await see("they are listed", fixture.client) {
      $0.map(\.kind) == [.photo] && $0[0].device == "synthetic-0" && !$0[0].waiting
    }
    taking.cancel()
    await see("they are gone", fixture.client, \.isEmpty)
    let refused = CapturePhotoRequest(device: "nothing")
    #expect(
      await status { for try await _ in try await fixture.photos.capture(refused, options: bounded) {} }?.code
        == .notFound)
    await fixture.stop()
  }

  @Test func whoIsGoneIsNotKeptByACallThatDoesNotReturn() async throws {
    let (viewers, camera) = (Viewers(), CameraID(rawValue: "a"))
    let context = CallContext(method: VideoMethods.subscribe, peer: "unix", connectionID: 1)
    let (hung, hang) = AsyncStream.makeStream(of: Void.self)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let call = Task {
      await viewers.note(context, taking: .video, of: camera) {
        begin.finish()
        // It does not hear of the cancellation.
        await Task.detached { for await _ in hung {} }.value
      }
    }
    for await _ in begun {}
    #expect(viewers.seen(by: context).map(\.camera) == [camera])
    call.cancel()
    #expect(viewers.seen(by: context).isEmpty)
    hang.finish()
    await call.value
    #expect(viewers.seen(by: context).isEmpty)
  }
}
