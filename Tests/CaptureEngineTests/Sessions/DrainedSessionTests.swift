import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Sessions when the node ends.
@Suite(.timeLimit(.minutes(1))) struct DrainedSessionTests {
  @Test(arguments: ["a", "b"]) func aStuckCameraKeepsNoOtherSessionFromItsEnd(stuck: String) async throws {
    let node = await engine(FakeCamera("a"), FakeCamera("b"))
    for name in ["a", "b"] {
      _ = try await node.configureSession(name, .of(name, .rawVGA), starts: true, owner: someone)
    }
    let other = try await node.session(stuck == "a" ? "b" : "a")
    let device = try node.device(stuck)
    await device.run { await $0.gates.stream.enterToCleanUp() }
    await node.shutDown()
    // The end has its patience, which a busy machine may use up.
    await eventually("the other one has ended") { await other.endReason != nil }
    await device.run { $0.gates.stream.leave() }
  }
}
