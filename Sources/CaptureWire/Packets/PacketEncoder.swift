/// Makes the prefixes and envelopes of packets.
package enum PacketEncoder {
  /// The prefix and envelope of a packet. The caller sends `chunkLength` bytes of payload after them.
  package static func header(_ envelope: Envelope, chunkLength: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    append(envelope, chunkLength: chunkLength, to: &bytes)
    return bytes
  }

  /// Appends the prefix and envelope of a packet.
  package static func append(_ envelope: Envelope, chunkLength: Int = 0, to bytes: inout [UInt8]) {
    let start = bytes.count
    envelope.append(to: &bytes, room: PacketPrefix.size)
    let prefix = PacketPrefix(
      envelopeLength: bytes.count - start - PacketPrefix.size, chunkLength: chunkLength)
    bytes.withUnsafeMutableBytes { prefix.write(to: $0.baseAddress! + start) }
  }
}
