import CaptureSystem
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
}
