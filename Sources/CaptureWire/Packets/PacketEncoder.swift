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
    envelope.withEncoded(room: PacketPrefix.size) { packet in
      let prefix = PacketPrefix(
        envelopeLength: packet.count - PacketPrefix.size, chunkLength: chunkLength)
      prefix.write(to: packet.baseAddress!)
      bytes.append(contentsOf: UnsafeRawBufferPointer(packet))
    }
  }
}
