import CaptureSystem
import CaptureWire
import Dispatch
import Glibc
import Testing

@testable import CaptureTransport

/// Names with several addresses. What the resolver would find is given.
@Suite(.timeLimit(.minutes(1))) struct ConnectorTests {
  private static let name = SocketAddress.name(host: "studio.example", port: 7311)
  /// A port at which nothing listens.
  private static let refusing = SocketAddress.internet(host: "127.0.0.1", port: 1, family: .v4)

  /// Connects to a name that has these addresses. Returns the one that was reached.
  private static func connect(
    among addresses: [SocketAddress], within timeout: Duration
  ) async throws -> SocketAddress {
    let (raw, found) = try await Connector.connect(to: name, timeout: timeout, resolve: { _ in addresses })
    close(raw)
    return found
  }

  @Test func anAddressThatDoesNotAnswerDoesNotHoldUpTheNext() async throws {
    let silent = try SilentPort()
    let node = try Node()
    let start = ContinuousClock.now
    let found = try await Self.connect(among: [silent.address, node.address], within: .seconds(40))
    #expect(found == node.address)
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(try silent.callers == 0, "the other socket is closed")
    await node.stop()
  }

  @Test func anAddressThatRefusesMakesWayAtOnce() async throws {
    let node = try Node()
    // With a quarter of a second for each the time would not do.
    let addresses = Array(repeating: Self.refusing, count: 60) + [node.address]
    let found = try await Self.connect(among: addresses, within: .seconds(10))
    #expect(found == node.address)
    await node.stop()
  }

  @Test func theErrorNamesEveryAddress() async throws {
    let silent = try SilentPort()
    let error = await #expect(throws: RPCError.self) {
      try await Self.connect(among: [silent.address, Self.refusing], within: .seconds(3))
    }
    let text = error?.text ?? ""
    #expect(text.hasPrefix("no node at studio.example:7311: "), "\(text)")
    #expect(text.contains("at \(silent.address) no answer within the time"), "\(text)")
    #expect(text.contains("at 127.0.0.1:1 nothing listens there"), "\(text)")
    #expect(try silent.callers == 0)
  }

  @Test func whatHoldsForAllAddressesIsSaidOnce() async throws {
    let error = await #expect(throws: RPCError.self) {
      try await Self.connect(among: [Self.refusing, Self.refusing], within: .seconds(10))
    }
    #expect(
      error?.text == "no node at studio.example:7311: nothing listens there; is capture-node running?")
  }

  @Test func theResolverIsNotWaitedForBeyondTheTime() async throws {
    let answers = DispatchSemaphore(value: 0)
    defer { answers.signal() }
    let error = await #expect(throws: RPCError.self) {
      try await Connector.connect(
        to: Self.name, timeout: .milliseconds(50),
        resolve: { name in
          answers.wait()
          return [name]
        })
    }
    #expect(error?.text.hasSuffix("its name was not looked up within the time") == true)
  }

  @Test func bothFamiliesAreTriedInTurn() {
    func v6(_ number: UInt16) -> SocketAddress { .internet(host: "2001:db8::1", port: number, family: .v6) }
    func v4(_ number: UInt16) -> SocketAddress { .internet(host: "192.0.2.1", port: number, family: .v4) }
    #expect(
      ConnectionAttempts.alternating([v6(1), v6(2), v6(3), v4(1), v4(2)])
        == [v6(1), v4(1), v6(2), v4(2), v6(3)])
    #expect(ConnectionAttempts.alternating([v4(1), v6(1), v6(2)]) == [v4(1), v6(1), v6(2)])
  }

  @Test(arguments: [
    ("fe80::1", "needs its network interface, as in [fe80::1%eth0]"),
    ("fe80::1%none0", "no network interface of that name"),
  ])
  func aLinkLocalAddressNeedsItsInterface(host: String, why: String) async {
    let address = SocketAddress.internet(host: host, port: 7311, family: .v6)
    let error = await #expect(throws: RPCError.self) {
      try await Connector.connect(to: address, timeout: .seconds(10))
    }
    #expect(error?.text.contains(why) == true, "\(error as Any)")
  }
}
