import Testing

@testable import CaptureWire

/// The envelopes that are written in place are those that protobuf-c writes.
@Suite struct MessageEnvelopeTests {
  @Test(arguments: [0, 1, 100, 127, 128, 300, 20_000], [0, 1, 300_000, 1 << 40])
  func aMessageIsAsProtobufCWritesIt(_ count: Int, _ payloadLength: Int) {
    var source = RandomSource(seed: 6)
    let body = (0..<count).map { _ in UInt8(truncatingIfNeeded: source.next()) }
    for call in [0, 1, 127, 128, 16_383, 16_384, .max] as [UInt32] {
      let written = Self.bytes(MessageEnvelope.size(call, body: body.count, payloadLength: payloadLength)) {
        MessageEnvelope.write(call, body: body, payloadLength: payloadLength, to: $0)
      }
      let message = Message(body: body, payloadLength: UInt64(payloadLength))
      #expect(written == Envelope(callID: call, kind: .message(message)).encoded())
    }
  }

  @Test(arguments: [0, 1, 127, 128, .max] as [UInt32])
  func aChunkIsAsProtobufCWritesIt(_ call: UInt32) {
    let written = Self.bytes(MessageEnvelope.chunkSize(call)) { MessageEnvelope.writeChunk(call, to: $0) }
    #expect(written == Envelope(callID: call, kind: .chunk(Chunk())).encoded())
  }

  private static func bytes(_ count: Int, _ write: (UnsafeMutableRawPointer) -> Void) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      write(buffer.baseAddress!)
      initialized = count
    }
  }
}
