import CaptureSystem
import Glibc
import Testing

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1:7311", SocketAddress.standard),
    ("10.0.0.1", .internet(host: "10.0.0.1", port: 7311, family: .v4)),
    ("[::1]:0", .internet(host: "::1", port: 0, family: .v6)),
    ("[fe80::1%eth0]:80", .internet(host: "fe80::1%eth0", port: 80, family: .v6)),
    ("unix:/run/capture.sock", .unix(path: "/run/capture.sock")),
    ("studio-3.local:80", .name(host: "studio-3.local", port: 80)),
  ])
  func readsWhatAPersonWrites(text: String, expected: SocketAddress) throws {
    #expect(try SocketAddress(parsing: text) == expected)
  }

  @Test(arguments: [
    "", ":7311", "::1", "[::1", "[zz]:1", "1.2.3:80", "a b:1", "host:65536", "unix:", "host:x", "[fe80::1%]",
    "[fe80::1%a/b]", "[fe80::1%a-name-much-too-long]", "fe80::1%eth0", "10.0.0.1%eth0",
  ])
  func refusesWhatIsNoAddressAndShowsHowOneLooks(text: String) {
    #expect {
      try SocketAddress(parsing: text)
    } throws: {
      "\($0)".contains("Write 127.0.0.1:7311")
    }
  }

  @Test func aLongTextIsRefusedWithoutBeingShown() {
    let error = #expect(throws: SocketAddressError.self) {
      try SocketAddress(parsing: String(repeating: "a", count: 60_000))
    }
    #expect(
      error?.description.hasPrefix("a text of 60000 bytes is no address: an address has at most 300 bytes.")
        == true)
  }

  /// Otherwise a known node would be another one under another spelling.
  @Test func onlyALinkLocalAddressHasAnInterface() {
    for text in ["[2001:db8::1%lo]:1", "[::1%lo]:1", "[::ffff:10.0.0.1%lo]:1"] {
      #expect(throws: SocketAddressError.self, "\(text)") { try SocketAddress(parsing: text) }
    }
  }

  @Test func anInterfaceThatIsNotThereIsNoDevice() throws {
    let address = try SocketAddress(parsing: "[fe80::1%none0]:80")
    #expect(throws: Errno.noDevice) { try address.withNative { (_, _) throws(Errno) -> Int in 0 } }
  }

  @Test func survivesTheKernelsForm() throws {
    for text in ["127.0.0.1:7311", "[::1]:80", "[fe80::1%lo]:80", "unix:/tmp/x"] {
      let address = try SocketAddress(parsing: text)
      let back = try address.withNative { (native, length) throws(Errno) -> SocketAddress? in
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
          $0.copyMemory(from: UnsafeRawBufferPointer(start: native, count: Int(length)))
        }
        return SocketAddress(native: &storage)
      }
      #expect(back == .some(address))
    }
  }

  /// An IPv4 address in the form of an IPv6 one is what it is.
  @Test func loopbackIsKnownInEveryForm() {
    func isLocal(_ host: String, _ family: SocketAddress.Family) -> Bool {
      SocketAddress.internet(host: host, port: 1, family: family).isLocal
    }
    #expect(isLocal("127.0.0.1", .v4) && isLocal("127.9.9.9", .v4) && isLocal("::1", .v6))
    #expect(isLocal("::ffff:127.0.0.1", .v6) && isLocal("::FFFF:127.0.0.1", .v6))
    #expect(!isLocal("::ffff:10.0.0.1", .v6) && !isLocal("::2", .v6) && !isLocal("128.0.0.1", .v4))
  }
}
