import Testing

@testable import CaptureWire

/// What is read and written without protobuf-c is what protobuf-c reads and writes.
@Suite struct CommonPacketsTests {
  @Test func theBytesAreThoseOfProtobufC() {
    var source = RandomSource(seed: 3)
    for _ in 0..<2_000 {
      let envelope = Envelope.random(from: &source)
      #expect(PacketEncoder.encoded(envelope) == envelope.encoded())
    }
  }

  @Test func everyCommonPacketIsReadAsProtobufCReadsIt() throws {
    var common = 0
    var source = RandomSource(seed: 4)
    for _ in 0..<2_000 {
      let bytes = Envelope.random(from: &source).encoded()
      guard let envelope = Self.read(bytes) else { continue }
      #expect(try envelope == Envelope(bytes))
      common += 1
    }
    #expect(common > 80)
  }

  @Test func thePacketsOfACallAreCommon() {
    let kinds: [Envelope.Kind] = [
      .request(
        Request(method: "capture.v1.Test/Unary", timeoutMs: 300, credit: 2, body: [1, 2], last: true)),
      .message(Message(body: [], payloadLength: 300_000)), .message(Message(last: true, noMessage: true)),
      .status(Status()), .status(Status(code: 5, text: "no camera 7")), .credit(Credit(messages: 1)),
    ]
    for kind in kinds {
      let envelope = Envelope(callID: 77, kind: kind)
      #expect(Self.read(envelope.encoded()) == envelope)
    }
  }

  /// Changed bytes, cut bytes: what is read is what protobuf-c reads, and what protobuf-c refuses is not read.
  @Test func nothingIsReadOtherwise() {
    var source = RandomSource(seed: 5)
    for _ in 0..<20_000 {
      var bytes = Envelope(callID: .random(from: &source), kind: Self.kind(&source)).encoded()
      for _ in 0..<source.below(3) {
        bytes[source.below(bytes.count)] = UInt8(truncatingIfNeeded: source.next())
      }
      if source.below(3) == 0 { bytes.removeLast(source.below(bytes.count)) }
      if source.below(3) == 0 { bytes += bytes }
      guard let envelope = Self.read(bytes) else { continue }
      #expect((try? Envelope(bytes)) == envelope, "\(bytes)")
    }
  }

  @Test(
    arguments: [
      [], [0x08], [0x08, 7], [0x22, 0], [0x08, 7, 0x22, 0, 0x22, 0], [0x08, 7, 0x22, 2, 0x10, 2],
      [0x08, 7, 0x22, 2, 0x50, 1], [0x08, 7, 0x1A, 3, 0x0A, 1, 0], [0x08, 7, 0x1A, 3, 0x0A, 1, 0xFF],
      [0x08, 7, 0x22, 0x80, 0x80, 0x80, 0x80, 0x00], [0x08, 7, 0x22, 5, 0x0A],
    ] as [[UInt8]])
  func whatIsUnusualIsLeftToProtobufC(_ bytes: [UInt8]) {
    #expect(Self.read(bytes) == nil)
  }

  private static func kind(_ source: inout RandomSource) -> Envelope.Kind {
    switch source.below(4) {
    case 0:
      var request = Request.random(from: &source)
      if source.below(2) == 0 { request.metadata = [] }
      return .request(request)
    case 1: return .message(.random(from: &source))
    case 2: return .status(Status(code: .random(from: &source), text: .random(from: &source)))
    default: return .credit(.random(from: &source))
    }
  }

  private static func read(_ bytes: [UInt8]) -> Envelope? { bytes.withUnsafeBytes { Envelope(common: $0) } }
}
