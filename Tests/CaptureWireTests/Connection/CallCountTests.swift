import Testing

@testable import CaptureWire

/// How many calls a client has made, and how many of them failed.
@Suite struct CallCountTests {
  private func counts(_ node: ServerFixture) -> [UInt64] { [node.state.callsTotal, node.state.callsFailed] }

  @Test func aRequestWhoseNumberDoesNotRiseIsNoCall() {
    let node = ServerFixture()
    node.open(3, "t.S/Plain")
    node.state.handlerEnded(3, RPCError(.ok, ""))
    _ = node.output()
    for id: UInt32 in [3, 1, 4] {
      node.open(id, "t.S/Plain")
      let status = node.status(of: id)
      #expect(status?.code == ServerRulesTests.invalid, "\(id)")
    }
    #expect(counts(node) == [1, 0])
  }

  /// By its client, or by its handler, as one that a later call has replaced.
  @Test func aCancelledCallHasNotFailed() {
    let node = ServerFixture()
    node.open(1, "t.S/Down", credit: 1)
    node.feed(Envelope(callID: 1, kind: .cancel(Cancel())))
    node.state.handlerEnded(1, RPCError(.cancelled, ""))
    node.open(3, "t.S/Plain")
    node.state.handlerEnded(3, RPCError(.cancelled, ""))
    #expect(counts(node) == [2, 0])
  }

  /// Refused, broken by its client, ended by its handler, overdue, and refused by a node that drains.
  @Test func eachOtherWayToEndCountsAsAFailureOnce() {
    let node = ServerFixture()
    node.open(1, "t.S/Nope")
    node.open(3, "t.S/Plain", last: false)
    node.open(5, "t.S/Plain")
    node.state.handlerEnded(5, RPCError(.notFound, ""))
    node.open(7, "t.S/Plain", timeout: 1)
    node.state.tick(now: 1_000_000)
    node.state.handlerEnded(7, RPCError(.cancelled, ""))
    #expect(counts(node) == [4, 4])
    node.state.drain(text: "")
    node.open(9, "t.S/Plain")
    node.open(9, "t.S/Plain")
    #expect(counts(node) == [5, 5])
  }
}
