import CaptureSystem
import Testing

@testable import capture_node

@Suite struct LineAddressesTests {
  @Test func fourAddressesHaveRoomAndNothingIsSaid() {
    let addresses = LineAddresses(["10.0.0.1", "10.0.0.2", "::1", "::2"], areNamed: false)
    #expect(addresses.taken == ["10.0.0.1", "10.0.0.2", "::1", "::2"] && addresses.note == nil)
  }

  @Test(arguments: [
    (["0.0.0.0:7311", "[::]:7311"], ["10.0.0.1", "192.0.2.2", "fd00::1"]),
    (["192.0.2.2:7311"], ["192.0.2.2"]),
    (["0.0.0.0:7311"], ["10.0.0.1", "192.0.2.2"]),
    (["192.0.2.2:7311", "[::]:7311"], ["192.0.2.2", "fd00::1"]),
    // One of an interface that is left out otherwise, as a bridge of containers.
    (["172.17.0.1:7311", "0.0.0.0:7311"], ["172.17.0.1", "10.0.0.1", "192.0.2.2"]),
    ([String](), ["10.0.0.1", "192.0.2.2", "fd00::1"]),
  ])
  func onlyAddressesAtWhichTheNodeListensAreInTheLine(listeners: [String], served: [String]) throws {
    let listeners = try listeners.map { try SocketAddress(parsing: $0) }
    let found = ["10.0.0.1", "192.0.2.2", "fd00::1"]
    #expect(LineAddresses.served(by: listeners, of: found) == served)
  }

  @Test func thoseThatAreLeftOutAreNamed() {
    let found = LineAddresses(["10.0.0.1", "10.0.0.2", "::1", "::2", "::3"], areNamed: false)
    #expect(found.taken == ["10.0.0.1", "10.0.0.2", "::1", "::2"])
    #expect(
      found.note
        == "the line has room for 4 addresses, and 1 is left out: ::3. --address names those that it shall have"
    )
    let named = LineAddresses(["10.0.0.1", "::1", "::2", "::3", "::4", "::5"], areNamed: true)
    #expect(named.taken == ["10.0.0.1", "::1", "::2", "::3"])
    #expect(
      named.note
        == "the line has room for 4 addresses, and 2 are left out: ::4, ::5. It has the first ones of --address"
    )
  }
}
