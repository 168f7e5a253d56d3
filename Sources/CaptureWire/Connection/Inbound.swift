import CaptureSystem

/// A side of a connection that receives packets.
package protocol InboundState: ~Copyable {
  /// Notes that bytes came. Any byte shows that the peer lives.
  mutating func heard(now: UInt64)
  /// Receives a packet. Its chunk belongs to the assembly that this returns; `nil`: the chunk is skipped.
  mutating func receive(
    _ envelope: Envelope, chunkLength: Int, now: UInt64
  ) throws(ProtocolViolation) -> PayloadAssembly?
  /// Notes that a chunk of this payload is complete.
  mutating func chunkEnded(_ assembly: PayloadAssembly)
}

/// Turns bytes into packets for the state: it combines the decoder with the payloads that are being received.
package struct Inbound: ~Copyable {
  private var decoder: PacketDecoder
  private var assembly: PayloadAssembly?

  package init(limits: PacketLimits) { decoder = PacketDecoder(limits: limits) }

  package var isInsidePacket: Bool { decoder.isInsidePacket }
  /// The total length, in bytes, of the long envelopes that have come whole. A long envelope is longer than any usual one.
  package var longBytes: UInt64 { decoder.longBytes }
  /// How many bytes of a long envelope are still to come; 0: none has begun.
  package var longRemaining: Int { decoder.longRemaining }
  /// How many bytes of an unfinished envelope are kept.
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

  /// Where the next bytes of the stream belong, if they are a payload's; otherwise `nil`.
  package func target() -> UnsafeMutableRawBufferPointer? {
    guard decoder.chunkRemaining > 0, let assembly else { return nil }
    return UnsafeMutableRawBufferPointer(rebasing: assembly.target().prefix(decoder.chunkRemaining))
  }

  /// Notes that `count` bytes were read into ``target()``.
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
