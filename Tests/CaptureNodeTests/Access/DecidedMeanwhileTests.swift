import CaptureAccess
import CaptureEngine
import CaptureLoop
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureWire
import Testing

@testable import CaptureNode

/// A request for a camera is approved between a call's beginning and the look at the camera.
@Suite(.timeLimit(.minutes(1))) struct DecidedMeanwhileTests {
  private let other = "synthetic-1"

  private final class Unused: RawResponseWriter {
    let discarded: UInt64 = 0
    let room = 0
    let loop = QueueExecutor(label: "unused")
    func send(_ message: RawMessage) async throws(RPCError) { Issue.record("something was sent") }
    func offer(payload: Payload?, encode: @escaping @Sendable (_ discarded: UInt64) -> [UInt8]) {}
    func releaseBuffers() {}
  }

  @Test func theAnswerIsThatToACallOfNow() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    let access = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    let spec = try SyntheticSpec.parse("synthetic:160x120@50")!
    await engine.attach(SyntheticProvider(cameras: [spec, spec]))
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
    _ = try await access.decide("anna", number: nil, approves: true, decider: nil)
    let (now, waited) = try await endpoint.admitted(
      to: request, context, ResponseWriter<VideoFrame>(Unused()))
    #expect(waited == nil && now.caller.cameras.contains(camera: other))
  }
}
