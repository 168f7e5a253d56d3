import CaptureModel
import CaptureSystem
import CaptureWire
import Testing

@testable import CaptureTransport

@Suite struct OriginTests {
  private func origin(_ host: String, _ family: SocketAddress.Family) -> String {
    Origin(.internet(host: host, port: 5, family: family), -1).description
  }

  @Test func anIPv4AddressIsItself() {
    #expect(origin("192.0.2.7", .v4) == "192.0.2.7")
  }

  @Test func addressesOfOneIPv6NetworkAreOne() {
    #expect(origin("2001:db8:1:2:3::4", .v6) == "2001:db8:1:2::/64")
    #expect(origin("2001:db8:1:2::9", .v6) == "2001:db8:1:2::/64")
    #expect(origin("2001:db8:1:3::9", .v6) != "2001:db8:1:2::/64")
  }

  @Test(arguments: ["::1", "fe80::1", "febf::2"]) func whoIsOnTheSameLinkIsItself(_ host: String) {
    #expect(origin(host, .v6) == host)
  }

  /// What a call is about is kept while it runs, on whichever of the address's connections.
  @Test func theRequestsOfItsRunningCallsHaveABoundTogether() async throws {
    var configuration = NodeConfiguration()
    configuration.limits[.requestBytesPerAddress] = 100_000
    let node = try Node(configuration: configuration)
    let (first, second) = (try await node.client(), try await node.client())
    // More answers than anybody reads.
    let long = TestRequest(responseCount: 1_000, note: [UInt8](repeating: 1, count: 60_000))
    var held = try await TestClient(first).download(long).makeAsyncIterator()
    _ = try await held.next()
    let refusal = await #expect(throws: RPCError.self) { try await TestClient(second).unary(long) }
    #expect(refusal?.code == .resourceExhausted && refusal?.details?.limit == "requestBytesPerAddress")
    #expect(refusal?.details?.bound == 100_000)
    // A short one has room, and the long one where the other has ended.
    _ = try await TestClient(second).unary(TestRequest(note: [UInt8](repeating: 1, count: 30_000)))
    await first.close()
    try await eventually { (try? await TestClient(second).unary(long)) != nil }
    await node.stop()
  }

  private static func some(_ count: Int) -> [Origin] {
    (1...count).map { Origin(.internet(host: "192.0.2.\($0)", port: 5, family: .v4), -1) }
  }

  @Test func asManyRefusedOnesAreRememberedAsTheNodesLimitSays() {
    var configuration = NodeConfiguration()
    configuration.limits[.refusedAddresses] = 2
    let server = NodeServer(services: [], configuration: configuration)
    let origins = Self.some(3)
    for origin in origins[..<2] { for _ in 0..<4 { _ = server.delayRefusal(of: origin) } }
    #expect(server.delayRefusal(of: origins[0]) == 1_000_000_000, "its fifth")
    // The one that was refused longest ago makes room.
    #expect(server.delayRefusal(of: origins[2]) == 500_000_000)
    #expect(server.delayRefusal(of: origins[0]) == 2_000_000_000)
    #expect(server.delayRefusal(of: origins[1]) == 500_000_000)
  }

  @Test func asManyThatCancelAreRememberedAsTheNodesLimitSays() {
    var configuration = NodeConfiguration()
    configuration.limits[.cancellingAddresses] = 2
    configuration.limits[.cancelBurstPerAddress] = 10
    configuration.limits[.cancelsPerSecondPerAddress] = 0
    let server = NodeServer(services: [], configuration: configuration)
    let origins = Self.some(4)
    for origin in origins[..<2] { #expect(server.takeCancels(10, of: origin, 1) == nil) }
    #expect(server.takeCancels(6, of: origins[2], 1) == nil)
    #expect(server.takeCancels(6, of: origins[3], 1) != nil, "those that are not remembered share one budget")
    #expect(server.takeCancels(4, of: origins[3], 1) == nil)
  }

  @Test func aRequestThatIsLongerThanTheBoundIsTakenAlone() async throws {
    var configuration = NodeConfiguration()
    configuration.limits[.requestBytesPerAddress] = 1_000
    let node = try Node(configuration: configuration)
    let client = TestClient(try await node.client())
    _ = try await client.unary(TestRequest(note: [UInt8](repeating: 1, count: 60_000)))
    await node.stop()
  }
}
