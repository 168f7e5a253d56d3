import CaptureModel
import CaptureSystem
import CaptureTLS
import Glibc
import Testing

@testable import CaptureAccess

@Suite struct KnownNodesTests {
  /// In a folder of its own, which is removed.
  func within(_ body: (KnownNodes) async throws -> Void) async throws {
    let folder = "/tmp/known-nodes-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let known = KnownNodes(folder: folder + "/a/nodes")
    try await known.locked { try await body(known) }
    for file in ["studio.json", "studio.pending.json", "lock"] { unlink("\(known.folder)/\(file)") }
    for path in [folder + "/a/nodes", folder + "/a", folder] { rmdir(path) }
  }

  func node(client: String?) -> KnownNode {
    KnownNode(
      name: "studio", addresses: ["10.0.0.7", "2001:db8::7"], port: 7311, pin: Digest(of: [1]),
      secret: .make(),
      client: client, code: client == nil ? Digest(of: [2]) : nil)
  }

  @Test func aNodeIsReadAsItWasWrittenAndFoundByNameAndAddress() async throws {
    try await within { known in
      let written = node(client: "laptop")
      try known.write(written)
      let read = try #require(try known.node("studio"))
      #expect(read.secret?.bytes == written.secret?.bytes)
      #expect((read.client, read.addresses, read.pin) == ("laptop", written.addresses, written.pin))
      for address in ["studio", "10.0.0.7:7311", "[2001:db8::7]:7311"] {
        #expect(try known.node(at: SocketAddress(parsing: address)) != nil)
      }
      for address in ["studio:1", "10.0.0.8", "unix:/x", "127.0.0.1"] {
        #expect(try known.node(at: SocketAddress(parsing: address)) == nil)
      }
    }
  }

  /// Otherwise something would go in the clear to a node whose key is known.
  @Test func aNodeIsFoundByItsHostInEverySpelling() async throws {
    try await within { known in
      var written = node(client: "laptop")
      (written.addresses, written.port) = (["Studio.Example.org", "10.0.0.7", "2001:db8::7"], 7400)
      try known.write(written)
      for address in [
        "studio.example.org:7400", "STUDIO.example.ORG:7400", "studio.example.org.:7400",
        "[2001:DB8::7]:7400",
        "[2001:db8:0:0:0:0:0:7]:7400", "[::ffff:10.0.0.7]:7400",
      ] {
        #expect(try known.node(at: SocketAddress(parsing: address))?.name == "studio", "\(address)")
      }
      for address in [
        "studio.example.org", "other.studio.example.org:7400", "example.org:7400", "[2001:db8::8]:7400",
      ] {
        #expect(try known.node(at: SocketAddress(parsing: address)) == nil, "\(address)")
      }
      written.addresses = ["fe80::7%eth0"]
      try known.write(written)
      #expect(try known.node(at: SocketAddress(parsing: "[FE80:0::7%eth0]:7400")) != nil)
      #expect(try known.node(at: SocketAddress(parsing: "[fe80::7%eth1]:7400")) == nil)
      written.addresses = ["studio.example.org."]
      try known.write(written)
      #expect(try known.node(at: SocketAddress(parsing: "studio.example.org:7400")) != nil)
      written.addresses = ["localhost"]
      try known.write(written)
      #expect(try known.node(at: SocketAddress(parsing: "localhost:7400")) == nil)
    }
  }

  @Test func aNodeIsFoundByAnotherNameThatHasItsAddress() async throws {
    func found(_ text: String, _ known: KnownNodes, among numeric: [String]) throws -> KnownNode? {
      try known.node(at: SocketAddress(parsing: text)) { asked in
        #expect("\(asked)" == text)
        return numeric.compactMap { try? SocketAddress(parsing: $0) }
      }
    }
    try await within { known in
      #expect(try found("camera.lan:7311", known, among: ["10.0.0.7"]) == nil)
      try known.write(node(client: "laptop"))
      #expect(try found("camera.lan:7311", known, among: ["192.0.2.1", "10.0.0.7"])?.name == "studio")
      #expect(try found("camera.lan:7400", known, among: ["10.0.0.7:7400"]) == nil)
      #expect(try found("camera.lan:7311", known, among: ["192.0.2.1", "127.0.0.1"]) == nil)
      #expect(try found("camera.lan:7311", known, among: []) == nil)
    }
  }

  @Test func aNodeIsKnownByItsKeyOrByItsCertificate() async throws {
    let identity = try TLSIdentity.make()
    let authority = try #require(CertificateAuthority(pem: identity.certificatePEM))
    try await within { known in
      var written = node(client: "laptop")
      written.proof = .certificate(authority: authority, name: "studio.example.org")
      try known.write(written)
      let read = try #require(try known.node("studio"))
      #expect(read.pin == nil)
      guard case .certificate(let kept, "studio.example.org") = read.proof else {
        Issue.record("\(read.proof)")
        return
      }
      #expect(kept.pem == authority.pem)
    }
  }

  /// With neither a key nor a CA any node would be taken.
  @Test(arguments: [
    #"{"addresses":["10.0.0.7"],"port":7311}"#,
    #"{"addresses":["10.0.0.7"],"port":7311,"serverName":"studio"}"#,
    #"{"addresses":["10.0.0.7"],"port":7311,"serverName":"studio","authority":"nothing"}"#,
    #"{"addresses":["10.0.0.7"],"port":7311,"key":"00"}"#,
  ]) func aFileThatTellsNoNodeIsDamaged(text: String) {
    #expect(KnownNodes.node("studio", in: Array(text.utf8)) == nil)
  }

  @Test func whatIsPendingDoesNotReplaceWhatIsKnown() async throws {
    try await within { known in
      let paired = node(client: "laptop")
      try known.write(paired)
      try known.write(node(client: nil))
      #expect(try known.node("studio")?.secret?.bytes == paired.secret?.bytes)
      #expect(known.names == ["studio"])
      try known.write(paired)
      #expect(try known.node("studio", isPending: true) == nil)
    }
  }

  @Test func noNodeHasTheNameOfAPendingFile() async throws {
    try await within { known in
      try known.write(node(client: nil))
      var other = node(client: "laptop")
      other.name = "studio.pending"
      #expect {
        try known.write(other)
      } throws: {
        ($0 as? CaptureError)?.code == .invalidArgument && "\($0)".contains("'.pending' at the end")
      }
      #expect(try known.node("studio", isPending: true)?.client == nil)
      #expect(try known.node("studio.pending") == nil)
      #expect(try !known.remove("studio.pending"))
      #expect(try known.node("studio", isPending: true) != nil)
    }
  }

  @Test func aNameThatIsNoneIsToldByItsBeginning() async throws {
    let long = String(repeating: "a\u{1B}[31m", count: 10_000)
    try await within { known in
      for refuse in [{ _ = try known.required(long) }, { try KnownNode.requireName(long) }] {
        #expect {
          try refuse()
        } throws: {
          let text = "\($0) \(($0 as? CaptureError)?.details.map { "\($0)" } ?? "")"
          return text.utf8.count < 3_000 && !text.contains("\u{1B}") && text.contains("(60000 bytes)")
        }
      }
    }
  }

  @Test func aFileThatOthersCanReadIsRefused() async throws {
    try await within { known in
      try known.write(node(client: "laptop"))
      chmod(known.path(of: "studio"), 0o640)
      #expect {
        try known.node("studio")
      } throws: {
        "\($0)".contains("others can read it")
      }
    }
  }

  @Test func aDamagedFileIsRefusedWithoutRepeatingIt() async throws {
    try await within { known in
      try known.write(node(client: "laptop"))
      for text in ["", "{", "[]", #"{"addresses":[],"port":1,"key":"00","secret":"11"}"#] {
        try SmallFile.replace(known.path(of: "studio"), with: Array(text.utf8))
        #expect {
          try known.node("studio")
        } throws: {
          "\($0)".contains("is damaged") && !"\($0)".contains("secret\"")
        }
      }
    }
  }

  @Test func onlyOneProgramPairsAtATime() async throws {
    try await within { known in
      await #expect(throws: CaptureError.self) { try await known.locked {} }
    }
  }
}
