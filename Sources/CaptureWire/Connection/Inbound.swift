import CaptureSystem

/// A side of a connection that takes packets.
package protocol InboundState: ~Copyable {
  /// Any byte is life.
  mutating func heard(now: UInt64)
  /// Takes a packet. Its chunk belongs to the assembly it returns; `nil`: the chunk is skipped.
  mutating func receive(
    _ envelope: Envelope, chunkLength: Int, now: UInt64
  ) throws(ProtocolViolation) -> PayloadAssembly?
  /// A chunk of this payload is whole.
  mutating func chunkEnded(_ assembly: PayloadAssembly)
}

/// Bytes in, packets to the state: joins the decoder with the payloads being received.
package struct Inbound {
  private var decoder: PacketDecoder
  private var assembly: PayloadAssembly?

  package init(limits: PacketLimits) { decoder = PacketDecoder(limits: limits) }

  package var isInsidePacket: Bool { decoder.isInsidePacket }
  /// Bytes so far of envelopes that are longer than any that is usual.
  package var longBytes: UInt64 { decoder.longBytes }
  /// Bytes kept of an unfinished envelope.
  package var stagedCount: Int { decoder.stagedCount }

  /// Takes bytes that were read into scratch memory.
  package mutating func consume(
    _ bytes: UnsafeRawBufferPointer, into state: inout some InboundState & ~Copyable, now: UInt64
  ) throws(ProtocolViolation) {
    var input = bytes
    while let event = try decoder.next(&input) {
      switch event {
      case .packet(let envelope, let chunkLength):
        let target = try state.receive(envelope, chunkLength: chunkLength, now: now)
        if chunkLength > 0 {
          assembly = target
        } else if let target {
          state.chunkEnded(target)
        }
      case .chunk(let bytes):
        assembly?.append(bytes)
        endChunk(&state)
      }
    }
  }

  /// Where the next bytes of the stream belong, when they are a payload's.
  package func target() -> UnsafeMutableRawBufferPointer? {
    guard decoder.chunkRemaining > 0, let assembly else { return nil }
    return UnsafeMutableRawBufferPointer(rebasing: assembly.target().prefix(decoder.chunkRemaining))
  }

  /// So many bytes were read to ``target()``.
  package mutating func filled(_ count: Int, _ state: inout some InboundState & ~Copyable) {
    assembly?.fill(count)
    decoder.skipChunk(count)
    endChunk(&state)
  }

  private mutating func endChunk(_ state: inout some InboundState & ~Copyable) {
    guard decoder.chunkRemaining == 0 else { return }
    if let assembly = assembly.take() { state.chunkEnded(assembly) }
  }
}
