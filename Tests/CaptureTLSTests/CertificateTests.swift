import Testing

@testable import CaptureTLS

@Suite struct CertificateTests {
  /// What a client finds of a node with this certificate, which it wants to have this name.
  private func distrust(
    of identity: TLSIdentity, by believed: TLSIdentity, name: String?
  ) throws -> String? {
    let authority = try #require(CertificateAuthority(pem: believed.certificatePEM))
    let node = try TLSSession(.server(identity))
    let client = try TLSSession(.client(believing: authority), name: name)
    for _ in 0..<4 where !(client.isOpen && node.isOpen) {
      _ = client.shakeHands()
      client.send {
        node.receive($0)
        return $0.count
      }
      _ = node.shakeHands()
      node.send {
        client.receive($0)
        return $0.count
      }
    }
    #expect(client.isOpen)
    return client.distrust
  }

  @Test func aCertificateOfTheCAWithTheNameIsTaken() throws {
    let identity = try TLSIdentity.make()
    #expect(try distrust(of: identity, by: identity, name: TLSIdentity.serverName) == nil)
  }

  @Test(arguments: ["studio.example.org", "192.0.2.7", "2001:db8::7"])
  func anotherNameIsNot(name: String) throws {
    let identity = try TLSIdentity.make()
    let text = try #require(try distrust(of: identity, by: identity, name: name))
    #expect(text == "the certificate is for node.remote-capture.invalid, not for \(name)")
  }

  @Test func oneOfSomebodyElseIsNot() throws {
    let text = try distrust(of: .make(), by: .make(), name: TLSIdentity.serverName)
    #expect(text == "the certificate was not issued by the CA that is believed here")
  }

  /// Whoever forgets the name shall not take every certificate of the CA.
  @Test func withoutANameNoneIsTaken() throws {
    let identity = try TLSIdentity.make()
    #expect(try distrust(of: identity, by: identity, name: nil) != nil)
  }

  @Test func anErrorOfADateNamesBoth() throws {
    let facts = try TLSIdentity.make().facts
    #expect(facts.names == [TLSIdentity.serverName])
    #expect(facts.validity == 0...253_402_300_799)
    #expect(facts.invalidity(at: 1_700_000_000) == nil)
    #expect(
      facts.invalidity(at: -1)
        == "the certificate is not valid before 1970-01-01 00:00:00 UTC, and this machine's clock says 1969-12-31 23:59:59 UTC"
    )
    #expect(
      facts.invalidity(at: 253_402_300_800)?.hasPrefix(
        "the certificate was valid until 9999-12-31 23:59:59 UTC, and this machine's clock says ") == true)
  }

  @Test func aChainIsOfItsKey() throws {
    let (one, other) = (try TLSIdentity.make(), try TLSIdentity.make())
    let key = Array(one.pem.utf8)
    let chain = Array((one.certificatePEM + other.certificatePEM).utf8)
    let read = try TLSIdentity(key: key, chain: chain)
    #expect(read.pin == one.pin && read.chain.count == 1)
    #expect(throws: TLSError.self) { try TLSIdentity(key: key, chain: Array(other.certificatePEM.utf8)) }
    #expect(throws: TLSError.self) { try TLSIdentity(key: key, chain: []) }
    #expect(throws: TLSError.self) { try TLSIdentity(key: [], chain: chain) }
    #expect(throws: TLSError.self) { try TLSIdentity(key: Array(one.certificatePEM.utf8), chain: chain) }
  }

  @Test func whatIsNoCertificateIsNoCA() {
    #expect(CertificateAuthority(pem: "") == nil)
    #expect(
      CertificateAuthority(pem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") == nil)
  }
}
