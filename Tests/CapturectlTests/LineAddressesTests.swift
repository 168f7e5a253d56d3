import Testing

@testable import capture_node

@Suite struct LineAddressesTests {
  @Test func fourAddressesHaveRoomAndNothingIsSaid() {
    let addresses = LineAddresses(["10.0.0.1", "10.0.0.2", "::1", "::2"], areNamed: false)
    #expect(addresses.taken == ["10.0.0.1", "10.0.0.2", "::1", "::2"] && addresses.note == nil)
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
