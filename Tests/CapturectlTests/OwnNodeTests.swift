import CaptureModel
import CaptureWire
import Testing

@testable import capture_node

/// What the commands of a node's own machine say.
@Suite struct OwnNodeTests {
  @Test(arguments: [["pair"], ["identity", "new"]])
  func whoMayNotIsToldTheCommandThatDoesIt(command: [String]) {
    let refusal = RPCError(
      .permissionDenied, "user 1000 may control, and capture.v1.Access/NewPairing here needs admin",
      .init(.notPermitted))
    #expect(
      OwnNode.explanation(of: refusal, in: command)
        == "no permission: only root and the node's own user may do this: sudo capture-node \(command.joined(separator: " "))"
    )
  }

  @Test func otherErrorsStayAsTheyAre() {
    let error = RPCError(.failedPrecondition, "the node keeps no state", .init(.stateNotWritable))
    #expect(OwnNode.explanation(of: error, in: ["pair"]) == "the node keeps no state")
  }
}
