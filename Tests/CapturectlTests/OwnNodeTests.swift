import CaptureModel
import CaptureWire
import Testing

@testable import capture_node

/// What the commands of a node's own machine say.
@Suite struct OwnNodeTests {
  /// His own command has options, as --socket, which a command line of ours would lack.
  @Test func whoMayNotIsToldWhoMay() {
    let refusal = RPCError(
      .permissionDenied, "user 1000 may control, and capture.v1.Access/NewPairing here needs admin",
      .init(.notPermitted))
    #expect(
      OwnNode.explanation(of: refusal)
        == "no permission: only root and the node's own user may do this: run the same command with sudo")
  }

  @Test func otherErrorsStayAsTheyAre() {
    let error = RPCError(.failedPrecondition, "the node keeps no state", .init(.stateNotWritable))
    #expect(OwnNode.explanation(of: error) == "the node keeps no state")
  }
}
