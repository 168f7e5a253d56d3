import CaptureWire
import Foundation
import Testing

/// The bytes under Golden/ are read and written alike here and by the stock protobuf package (`scripts/generate-proto --check`).
@Suite struct GoldenTests {
  @Test(arguments: try Golden.all(in: "messages"))
  func messageIsReadAndWrittenToTheSameBytes(golden: Golden) throws {
    let type = try #require(everyMessage.first { $0.protoName == golden.type })
    #expect(try type.init(golden.bytes).encoded() == golden.bytes)
  }

  @Test(arguments: try Golden.all(in: "packets"))
  func packetIsReadAndWrittenToTheSameBytes(golden: Golden) throws {
    let (envelope, chunk) = try #require(golden.packet)
    #expect(try Envelope(envelope).encoded() == envelope)
    #expect(golden.chunkLine == (chunk.isEmpty ? nil : chunk.map { hex($0) }.joined(separator: " ")))
  }

  @Test func everyKindOfEnvelopeHasAPacket() throws {
    let kinds = try Golden.all(in: "packets").compactMap { golden in
      try Envelope(try #require(golden.packet).envelope).kind.map {
        String(describing: $0).prefix { $0 != "(" }
      }
    }
    #expect(
      Set(kinds) == [
        "hello", "request", "message", "chunk", "status", "cancel", "credit", "ping", "pong", "goAway",
      ])
  }

  @Test func packetsSayWhatTheirNamesSay() throws {
    let expected: [String: Envelope] = [
      "empty": Envelope(),
      "hello-node": Envelope(
        kind: .hello(
          Hello(
            version: 1, agent: "capture-node/0.1.0", bootID: "7b1d6c3e-52a0-4c55-9f0a-0d2c9a3f1b44",
            limits: Limits(maxEnvelopeBytes: 65_536, maxChunkBytes: 262_144, maxCalls: 100), initialCredit: 8)
        )),
      "request-unary": Envelope(
        callID: 1,
        kind: .request(
          Request(
            method: DevicesMethods.list.name, timeoutMs: 5000,
            metadata: [Metadata(key: "trace", value: [0, 255])], last: true))),
      "request-stream": Envelope(
        callID: 3,
        kind: .request(
          Request(
            method: VideoMethods.subscribe.name, credit: 2,
            body: SubscribeRequest(
              device: "0",
              rendition: Rendition(
                encoding: .jpeg, size: Size(width: 640, height: 360), gravity: .resizeAspect, quality: 80,
                subsampling: .subsampling420),
              rate: 30
            ).encoded(), last: true))),
      "request-open": Envelope(
        callID: .max, kind: .request(Request(method: TestMethods.upload.name, noMessage: true))),
      "message-frame": Envelope(
        callID: 3,
        kind: .message(Message(body: VideoFrame(discarded: 2).encoded(), payloadLength: 300_000))),
      "message-none": Envelope(callID: 7, kind: .message(Message(last: true, noMessage: true))),
      "chunk": Envelope(callID: 3, kind: .chunk(Chunk())),
      "chunk-abort": Envelope(callID: 3, kind: .chunk(Chunk(abort: true))),
      "cancel": Envelope(callID: 3, kind: .cancel(Cancel())),
      "credit": Envelope(callID: 3, kind: .credit(Credit(messages: 2))),
      "pong": Envelope(
        kind: .pong(
          Pong(
            pingSentNs: 123_456_789_012_345, receivedNs: 223_456_789_012_345, sentNs: 223_456_789_012_399))),
      "go-away-version": Envelope(
        kind: .goAway(GoAway(code: 9, text: "this node speaks version 1, not 2"))),
    ]
    let packets = try Golden.all(in: "packets")
    for (name, envelope) in expected {
      let golden = try #require(packets.first { $0.name == name })
      #expect(try Envelope(try #require(golden.packet).envelope) == envelope, "\(name)")
    }
  }
}

/// Bytes and what they are.
struct Golden: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  /// "capture.v1.Envelope"
  let type: String
  /// "ff d8"
  let chunkLine: String?

  var testDescription: String { name }

  /// A packet's envelope and chunk; `nil`: not exactly one packet.
  var packet: (envelope: [UInt8], chunk: [UInt8])? {
    guard bytes.count >= 8 else { return nil }
    func length(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    let (envelope, chunk) = (length(at: 0), length(at: 4))
    guard bytes.count == 8 + envelope + chunk else { return nil }
    return (Array(bytes[8..<8 + envelope]), Array(bytes[(8 + envelope)...]))
  }

  static func all(in folder: String) throws -> [Golden] {
    let directory = Bundle.module.bundleURL.appending(path: "Golden/\(folder)")
    let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    return try files.filter { $0.pathExtension == "txtpb" }.map { file in
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      func header(_ key: String) -> String? {
        lines.first { $0.hasPrefix("# \(key): ") }.map { String($0.dropFirst(key.count + 4)) }
      }
      let binary = file.deletingPathExtension().appendingPathExtension("bin")
      return Golden(
        name: file.deletingPathExtension().lastPathComponent, bytes: Array(try Data(contentsOf: binary)),
        type: try #require(header("proto-message")), chunkLine: header("chunk"))
    }
  }
}

private func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
