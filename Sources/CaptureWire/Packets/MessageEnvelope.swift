/// Writes the envelopes of a call's messages in place, as protobuf would: that of a Message around an encoded body, and that of a Chunk of its
/// payload.
enum MessageEnvelope {
  private static let messageField: UInt8 = 4
  private static let chunkField: UInt8 = 5

  /// How many bytes the envelope of a Message has. `body`: how many bytes its body has.
  static func size(_ callID: UInt32, body: Int, payloadLength: Int) -> Int {
    FieldWriter.size(number: UInt64(callID)) + FieldWriter.size(message: content(body, payloadLength))
  }

  /// Writes the envelope of a Message.
  static func write(_ callID: UInt32, body: [UInt8], payloadLength: Int, to target: UnsafeMutableRawPointer) {
    var writer = FieldWriter(target)
    writer.number(1, UInt64(callID))
    writer.begin(messageField, count: content(body.count, payloadLength))
    body.withUnsafeBytes { writer.bytes(1, $0) }
    writer.number(3, UInt64(payloadLength))
  }

  private static func content(_ body: Int, _ payloadLength: Int) -> Int {
    FieldWriter.size(bytes: body) + FieldWriter.size(number: UInt64(payloadLength))
  }

  /// How many bytes the envelope of a Chunk has.
  static func chunkSize(_ callID: UInt32) -> Int {
    FieldWriter.size(number: UInt64(callID)) + FieldWriter.size(message: 0)
  }

  /// Writes the envelope of a Chunk.
  static func writeChunk(_ callID: UInt32, to target: UnsafeMutableRawPointer) {
    var writer = FieldWriter(target)
    writer.number(1, UInt64(callID))
    writer.begin(chunkField, count: 0)
  }
}
