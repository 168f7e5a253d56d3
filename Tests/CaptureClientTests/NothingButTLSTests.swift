import CaptureClient
import CaptureModel
import CaptureSystem
import CaptureTLS
import CaptureWire
import Dispatch
import Glibc
import Synchronization
import Testing

/// Whoever knows a node's key or its CA sends it nothing but TLS, whatever answers there.
@Suite(.timeLimit(.minutes(1))) struct NothingButTLSTests {
  /// Answers each connection with the same bytes, and keeps what comes.
  private final class Answerer: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let came = Mutex<[[UInt8]]>([])

    init(_ answer: [UInt8]) throws {
      let listener = try LoopbackListener()
      let descriptor = listener.descriptor
      (self.descriptor, port) = (descriptor, listener.port)
      DispatchQueue(label: "answers").async { [self] in
        while true {
          let peer = accept(descriptor, nil, nil)
          guard peer >= 0 else {
            close(descriptor)
            return
          }
          // One answer is there before the client has said anything.
          _ = send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
          var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
          while true {
            let count = read(peer, &buffer, buffer.count)
            guard count > 0 else { break }
            all += buffer[..<count]
            _ = send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
          }
          close(peer)
          came.withLock { $0.append(all) }
        }
      }
    }

    /// What came over each connection until its end, once there are `count` of them.
    func all(_ count: Int) async -> [[UInt8]] {
      await eventually("\(count) connections have ended") { came.withLock { $0.count } >= count }
      return came.withLock { $0 }
    }

    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  /// What a node in the clear says, another program, a server of TLS that gives up at once, and one of an old version.
  private static let answers: [[UInt8]] = [
    PacketEncoder.header(Envelope(kind: .hello(Hello(version: 1)))), Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8),
    Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0x15, 3, 1, 0, 2, 2, 40], [0x15, 3, 3, 0, 2, 2, 70], [0],
  ]

  /// The types of the TLS records that these bytes are; `nil`: they are something else.
  private func records(_ bytes: [UInt8]) -> [UInt8]? {
    var (types, rest) = ([UInt8](), bytes[...])
    while !rest.isEmpty {
      guard rest.count >= 5, (20...23).contains(rest[rest.startIndex]), rest[rest.startIndex + 1] == 3 else {
        return nil
      }
      types.append(rest[rest.startIndex])
      let length = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
      guard rest.count >= 5 + length else { return nil }
      rest = rest.dropFirst(5 + length)
    }
    return types
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  @Test(arguments: answers.indices) func whoKnowsTheNode(answer: Int) async throws {
    let answerer = try Answerer(Self.answers[answer])
    defer { answerer.stop() }
    let address = SocketAddress.internet(host: "127.0.0.1", port: answerer.port, family: .v4)
    let secret = Secret.make()
    var known = RemoteNode.Configuration(address: address)
    // Who says too little is waited for to the end.
    let time = Duration.seconds(3)
    (known.credential, known.timeout) = (secret, time)
    var (byKey, byCA) = (known, known)
    byKey.nodeKey = Digest(of: [1])
    byCA.authority = CertificateAuthority(pem: try TLSIdentity.make().certificatePEM)
    #expect(byCA.authority != nil)
    let code = String(repeating: "cd", count: 16)
    let line = try PairingLine(
      parsing: "capture-pair/studio/127.0.0.1/\(answerer.port)/\(Digest(of: [1]))/\(code)")

    let ways: [@Sendable () async throws -> Void] = [
      { [byKey] in _ = try await RemoteNode(configuration: byKey) },
      { [byCA] in _ = try await RemoteNode(configuration: byCA) },
      { [byKey] in _ = try await RemoteNode.shownKey(byKey) },
      { _ = try await RemoteNode.pair(line, secret: secret, name: "tester", timeout: time) },
    ]
    for way in ways {
      let error = await failure(way)
      #expect([.unavailable, .deadlineExceeded].contains(error?.code), "\(error as Any)")
    }
    let all = await answerer.all(ways.count)
    #expect(all.count == ways.count)
    for bytes in all {
      // It begins with a handshake, and there is no content before the end of that.
      let types = try #require(records(bytes), "\(bytes)")
      #expect(types.first == 0x16 && !types.contains(0x17), "\(types)")
      for own in [secret.bytes, secret.digest.bytes, line.code] { #expect(!contains(bytes, own)) }
    }
  }

  @Test func aCredentialForPlaintextIsNotSentThere() async throws {
    let answerer = try Answerer(Self.answers[0])
    defer { answerer.stop() }
    var configuration = RemoteNode.Configuration(
      address: .internet(host: "127.0.0.1", port: answerer.port, family: .v4))
    configuration.nodeKey = Digest(of: [1])
    configuration.timeout = .seconds(3)
    (configuration.credential, configuration.isCredentialForPlaintext) = (.make(), true)
    let error = await failure { [configuration] in _ = try await RemoteNode(configuration: configuration) }
    #expect(error?.code == .failedPrecondition)
    // What comes first is of the next attempt.
    configuration.isCredentialForPlaintext = false
    _ = await failure { [configuration] in _ = try await RemoteNode(configuration: configuration) }
    #expect(records(try #require(await answerer.all(1).first))?.first == 0x16)
  }
}
