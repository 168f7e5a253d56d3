import CaptureAccess
import CaptureEngine
import CaptureLoop
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureWire
import Synchronization
import Testing

@testable import CaptureNode

/// What is told with a call's first frame, to a client that does not get the first ones.
@Suite(.timeLimit(.minutes(1))) struct FirstFrameTests {
  private let other = "synthetic-1"

  /// Aborts the first frames, and counts them with the next one, as the transport does.
  private final class Writer: RawResponseWriter {
    static let aborted = 2
    private struct State {
      var replaced: UInt64 = 0
      var frames: [VideoFrame] = []
      var announcements = 0
    }
    private let state = Mutex(State())
    let discarded: UInt64 = 0
    let room = Int.max
    let loop = QueueExecutor(label: "writer")

    /// The frames in the order in which they were sent, with those that were aborted.
    var frames: [VideoFrame] { state.withLock { $0.frames } }
    var announcements: Int { state.withLock { $0.announcements } }

    func send(_ message: RawMessage) async throws(RPCError) { state.withLock { $0.announcements += 1 } }
    func offer(payload: Payload?, encode: @escaping @Sendable (_ discarded: UInt64) -> [UInt8]) {
      state.withLock { state in
        let frame = encode(state.replaced).withUnsafeBytes { try? VideoFrame(decoding: $0) }
        state.frames.append(frame ?? VideoFrame())
        state.replaced = state.frames.count <= Self.aborted ? state.replaced + 1 : 0
      }
    }
    func releaseBuffers() {}
  }

  @Test func itIsToldUntilAFrameArrives() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    let access = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    let spec = try SyntheticSpec.parse("synthetic:160x120@50")!
    let provider = SyntheticProvider(cameras: [spec, spec])
    await engine.attach(provider)
    // The camera gets back what was set.
    let device = try engine.device(other)
    _ = try await device.run {
      try await $0.settings.set(
        [NamedAssignment(name: "brightness", value: .value(.integer(7)))], clamping: false)
    }
    await provider.camera(1)?.inject(.unplug(.milliseconds(50)))
    await eventually("it is back") { await device.run { $0.settings.restorations } == 1 }

    // The call waits for an approval.
    let endpoint = VideoEndpoint(
      engine: ServedEngine(engine, Leases(limits: LeaseLimits())), viewers: Viewers(), access: access)
    let code = try await access.newCode(
      grants: [AccessGrant(.view, cameras: CameraScope(["*-0"]))], name: "anna", clientSeconds: nil,
      maker: nil)
    let anna = try await access.pair(code: code, secret: Secret.make().digest, name: "", peer: "")
    var context = CallContext(
      method: VideoMethods.subscribe, peer: "test", connectionID: 1,
      caller: Caller(.client, name: "anna", role: anna.role, expires: nil).having(anna.grants))
    let request = SubscribeRequest(device: other)
    context.caller = try access.permit(request, of: context)
    try await access.ask(for: AccessRequests.Rights(cameras: [other]), context)
    let writer = Writer()
    let call = Task { [context] in
      try await endpoint.subscribe(request, context: context, responses: ResponseWriter(writer))
    }
    await eventually("it waits") { writer.announcements == 1 }
    _ = try await access.decide("anna", number: nil, approves: true, decider: nil)
    await eventually("frames arrive") { writer.frames.count >= Writer.aborted + 2 }
    call.cancel()
    try? await call.value

    let frames = writer.frames
    for frame in frames.prefix(Writer.aborted + 1) {
      #expect(frame.discontinuity == .resumed && frame.reason.contains("approved"), "\(frame)")
      #expect(frame.restorations == 1, "\(frame)")
    }
    let second = frames[Writer.aborted + 1]
    #expect(second.discontinuity == .none && second.reason.isEmpty && second.restorations == 0, "\(second)")
  }
}
