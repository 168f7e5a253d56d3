/// Makes packets' prefixes and envelopes.
package enum PacketEncoder {
  /// Prefix and envelope of a packet, to be followed by `chunkLength` bytes of payload.
  package static func header(_ envelope: Envelope, chunkLength: Int = 0) -> [UInt8] {
    header(encoded: envelope.encoded(), chunkLength: chunkLength)
  }

  static func header(encoded: [UInt8], chunkLength: Int = 0) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: PacketPrefix.size + encoded.count) { buffer, count in
      let target = UnsafeMutableRawBufferPointer(buffer)
      PacketPrefix(envelopeLength: encoded.count, chunkLength: chunkLength).write(to: target.baseAddress!)
      UnsafeMutableRawBufferPointer(rebasing: target[PacketPrefix.size...]).copyBytes(from: encoded)
      count = target.count
    }
  }

  /// Appends a packet without a chunk.
  package static func append(_ envelope: Envelope, to bytes: inout [UInt8]) {
    let encoded = envelope.encoded()
    withUnsafeTemporaryAllocation(byteCount: PacketPrefix.size, alignment: 4) { prefix in
      PacketPrefix(envelopeLength: encoded.count, chunkLength: 0).write(to: prefix.baseAddress!)
      bytes.append(contentsOf: prefix)
    }
    bytes.append(contentsOf: encoded)
  }
}
