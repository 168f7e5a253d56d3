import CaptureModel

/// The eight bytes before every envelope: two lengths, big-endian.
package struct PacketPrefix: Hashable, Sendable {
  package static let size = 8

  package var envelopeLength: Int
  package var chunkLength: Int

  package init(envelopeLength: Int, chunkLength: Int) {
    self.envelopeLength = envelopeLength
    self.chunkLength = chunkLength
  }

  /// Reads the first eight of `bytes`.
  package init(reading bytes: UnsafeRawBufferPointer) {
    envelopeLength = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)))
    chunkLength = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
  }

  /// Writes eight bytes to `target`.
  package func write(to target: UnsafeMutableRawPointer) {
    target.storeBytes(of: UInt32(envelopeLength).bigEndian, as: UInt32.self)
    target.storeBytes(of: UInt32(chunkLength).bigEndian, toByteOffset: 4, as: UInt32.self)
  }

  func check(against limits: PacketLimits) throws(ProtocolViolation) {
    if envelopeLength > limits.envelope {
      throw ProtocolViolation(
        .resourceExhausted,
        "an envelope of \(envelopeLength) bytes; at most \(limits.envelope) are taken (max_envelope_bytes)",
        NodeLimit.envelopeBytes.details(bound: limits.envelope))
    }
    if chunkLength > limits.chunk {
      throw ProtocolViolation(
        .resourceExhausted,
        "a chunk of \(chunkLength) bytes; at most \(limits.chunk) are taken (max_chunk_bytes)",
        NodeLimit.chunkBytes.details(bound: limits.chunk))
    }
  }
}
