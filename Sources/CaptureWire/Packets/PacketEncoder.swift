/// Makes the prefixes and envelopes of packets.
package enum PacketEncoder {
  /// The prefix and envelope of a packet. The caller sends `chunkLength` bytes of payload after them.
  package static func header(_ envelope: Envelope, chunkLength: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    append(envelope, chunkLength: chunkLength, to: &bytes)
    return bytes
  }

  static func header(encoded: [UInt8], chunkLength: Int = 0) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: PacketPrefix.size + encoded.count) { buffer, count in
      let target = UnsafeMutableRawBufferPointer(buffer)
      PacketPrefix(envelopeLength: encoded.count, chunkLength: chunkLength).write(to: target.baseAddress!)
      UnsafeMutableRawBufferPointer(rebasing: target[PacketPrefix.size...]).copyBytes(from: encoded)
      count = target.count
    }
  }

  /// Appends the prefix and envelope of a packet.
  package static func append(_ envelope: Envelope, chunkLength: Int = 0, to bytes: inout [UInt8]) {
    withEncoded(envelope, room: PacketPrefix.size) { packet in
      let prefix = PacketPrefix(
        envelopeLength: packet.count - PacketPrefix.size, chunkLength: chunkLength)
      prefix.write(to: packet.baseAddress!)
      bytes.append(contentsOf: UnsafeRawBufferPointer(packet))
    }
  }

  /// The encoded envelope alone.
  static func encoded(_ envelope: Envelope) -> [UInt8] {
    withEncoded(envelope, room: 0) { [UInt8]($0) }
  }

  /// The number of bytes of the encoded envelope.
  static func size(_ envelope: Envelope) -> Int {
    withEncoded(envelope, room: 0) { $0.count }
  }

  private static func withEncoded<R>(
    _ envelope: Envelope, room: Int, _ body: (UnsafeMutableRawBufferPointer) -> R
  ) -> R {
    if let result = envelope.withCommon(room: room, body) { return result }
    return envelope.withEncoded(room: room, body)
  }
}
