import Testing

@testable import CaptureTLS

@Suite struct TLSSessionTests {
  /// A client and a node without sockets between them.
  struct Pair {
    let node: TLSSession
    let client: TLSSession
    let identity: TLSIdentity

    init(node order: CipherOrder = .aesFirst, client clientOrder: CipherOrder = .aesFirst) throws {
      identity = try TLSIdentity.make()
      node = try TLSSession(.server(identity, order: order))
      client = try TLSSession(.client(order: clientOrder))
    }

    /// Carries over what waits on both sides.
    func carry() {
      client.send { bytes in
        node.receive(bytes)
        return bytes.count
      }
      node.send { bytes in
        client.receive(bytes)
        return bytes.count
      }
    }

    func shakeHands() {
      for _ in 0..<4 where !(client.isOpen && node.isOpen) {
        _ = client.shakeHands()
        carry()
        _ = node.shakeHands()
        carry()
      }
    }
  }

  func write(_ bytes: [UInt8], to session: TLSSession) -> TLSSession.Outcome {
    bytes.withUnsafeBytes { session.write($0) }
  }

  func read(_ count: Int, from session: TLSSession) -> (TLSSession.Outcome, [UInt8]) {
    var bytes = [UInt8](repeating: 0, count: count)
    let outcome = bytes.withUnsafeMutableBytes { session.read(into: $0) }
    return (outcome, bytes)
  }

  @Test func bytesComeOverAndTheClientKnowsTheNodesKey() throws {
    let pair = try Pair()
    pair.shakeHands()
    #expect(pair.client.isOpen && pair.node.isOpen)
    #expect(pair.client.peerPin == pair.identity.pin)
    #expect(write(Array("frames".utf8), to: pair.client) == .bytes(6))
    pair.carry()
    let (outcome, bytes) = read(100, from: pair.node)
    #expect(outcome == .bytes(6))
    #expect(bytes.prefix(6) == Array("frames".utf8)[...])
    #expect(read(100, from: pair.node).0 == .needsInput)
  }

  @Test func aReaderOfFewBytesFindsTheRestOfTheRecord() throws {
    let pair = try Pair()
    pair.shakeHands()
    _ = write([UInt8](repeating: 7, count: 1_000), to: pair.client)
    pair.carry()
    #expect(read(10, from: pair.node).0 == .bytes(10))
    #expect(pair.node.hasInput)
    #expect(read(2_000, from: pair.node).0 == .bytes(990))
    #expect(!pair.node.hasInput)
  }

  /// A socket takes what it likes, and gives what it likes: here 1, 2, 3 … bytes of what waits at each turn, while more is written behind it.
  @Test func whateverTheSocketTakesAtOnceTheBytesComeInTheirOrder() throws {
    let pair = try Pair()
    pair.shakeHands()
    var random = SystemRandomNumberGenerator()
    let sent = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var (written, step) = (0, 1)
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 5_000)
    while received.count < sent.count {
      if written < sent.count, step % 3 == 1 {
        let portion = Array(sent[written..<min(written + 7 * step, sent.count)])
        #expect(write(portion, to: pair.node) == .bytes(portion.count))
        written += portion.count
      }
      pair.node.send { bytes in
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(step))
        pair.client.receive(part)
        return part.count
      }
      while case .bytes(let count) = buffer.withUnsafeMutableBytes({ pair.client.read(into: $0) }) {
        received += buffer[..<count]
      }
      step += 1
      try #require(step < 10_000)
    }
    #expect(received == sent)
    #expect(!pair.node.hasOutput && !pair.client.hasInput)
  }

  @Test func noSessionCanBeResumed() throws {
    let pair = try Pair()
    pair.shakeHands()
    // A ticket would wait to be sent now.
    #expect(!pair.node.hasOutput)
  }

  @Test func anIdentityIsReadAsItWasWritten() throws {
    let identity = try TLSIdentity.make()
    let again = try TLSIdentity(pem: Array(identity.pem.utf8))
    #expect(again.pin == identity.pin)
    #expect(again.certificatePEM == identity.certificatePEM)
    #expect(!identity.certificatePEM.contains("PRIVATE"))
  }

  @Test(arguments: ["", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
  func whatIsNoIdentityIsRefused(_ text: String) {
    #expect(throws: TLSError.self) { try TLSIdentity(pem: Array(text.utf8)) }
  }

  @Test func aForeignCertificateIsRefused() throws {
    let (one, other) = (try TLSIdentity.make(), try TLSIdentity.make())
    let key = one.pem.split(separator: "-----BEGIN CERTIFICATE-----")[0]
    #expect(throws: TLSError.self) { try TLSIdentity(pem: Array((key + other.certificatePEM).utf8)) }
  }

  @Test func whatIsNotTLSEndsTheHandshake() throws {
    let pair = try Pair()
    Array("GET / HTTP/1.1\r\n\r\n".utf8).withUnsafeBytes { pair.node.receive($0) }
    guard case .failed = pair.node.shakeHands() else {
      Issue.record("the node took it")
      return
    }
  }

  @Test func aMachineWithoutAESGetsChaCha() throws {
    for (node, client, suite) in [
      (CipherOrder.aesFirst, CipherOrder.aesFirst, "TLS_AES_128_GCM_SHA256"),
      (.aesFirst, .chachaFirst, "TLS_CHACHA20_POLY1305_SHA256"),
      (.chachaFirst, .aesFirst, "TLS_CHACHA20_POLY1305_SHA256"),
    ] {
      let pair = try Pair(node: node, client: client)
      pair.shakeHands()
      #expect(pair.client.suite == suite)
    }
  }

  @Test func theProcessorSaysWhetherItHasAES() {
    func order(_ machine: CipherOrder.Machine, _ capabilities: UInt) -> CipherOrder {
      CipherOrder(machine, x86HasAES: false) { _ in capabilities }
    }
    #expect(order(.arm64, 1 << 3) == .aesFirst)
    #expect(order(.arm64, ~(1 << 3)) == .chachaFirst)
    #expect(order(.arm32, 1) == .aesFirst)
    #expect(order(.arm32, 0) == .chachaFirst)
    #expect(order(.x86, ~0) == .chachaFirst)
    #expect(CipherOrder(.x86, x86HasAES: true) { _ in 0 } == .aesFirst)
  }

  @Test func digestsAreReadAsTheyAreWritten() {
    let digest = Digest(of: Array("abc".utf8))
    #expect("\(digest)" == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(Digest(hexadecimal: "\(digest)") == digest)
    #expect(Digest(hexadecimal: "\(digest)".uppercased()) == digest)
    #expect(Digest(hexadecimal: String("\(digest)".dropLast())) == nil)
    #expect(Digest(hexadecimal: String("\(digest)".dropLast(2))) == nil)
    #expect(Digest(hexadecimal: "g" + "\(digest)".dropFirst()) == nil)
  }
}
