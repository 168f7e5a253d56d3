/// Cuts a byte stream into packets. It keeps only bytes of an unfinished prefix or envelope; chunk bytes pass through it by
/// reference, or past it, straight into their payload's memory (``skipChunk(_:)``).
package struct PacketDecoder {
  package enum Event {
    /// A whole envelope. So many chunk bytes follow.
    case packet(Envelope, chunkLength: Int)
    /// Bytes of the chunk, valid as long as the input.
    case chunk(UnsafeRawBufferPointer)
  }

  private let limits: PacketLimits
  private var staged: [UInt8] = []
  private var isFirstByte = true
  /// Bytes of the present packet's chunk that are still to come.
  package private(set) var chunkRemaining = 0

  package init(limits: PacketLimits) { self.limits = limits }

  /// Bytes have arrived of a packet whose end has not.
  package var isInsidePacket: Bool { chunkRemaining > 0 || !staged.isEmpty }

  /// Bytes so far of envelopes that are longer than any that is usual.
  package private(set) var longBytes: UInt64 = 0
  private static let usual = 4_096

  /// Bytes kept.
  package var stagedCount: Int { staged.count }
  /// Bytes of memory that they take.
  package var stagedCapacity: Int { staged.capacity }

  /// The next event in `input`, whose start moves past what was taken; `nil` when all of it was.
  package mutating func next(_ input: inout UnsafeRawBufferPointer) throws(ProtocolViolation) -> Event? {
    guard let first = input.first else { return nil }
    if isFirstByte {
      guard first == 0 else { throw .otherProtocol(firstByte: first) }
      isFirstByte = false
    }
    if chunkRemaining > 0 {
      let bytes = UnsafeRawBufferPointer(rebasing: input.prefix(chunkRemaining))
      input.drop(bytes.count)
      chunkRemaining -= bytes.count
      return .chunk(bytes)
    }
    return staged.isEmpty ? try parseInPlace(&input) : try parseStaged(&input)
  }

  /// So many bytes of the chunk were read straight into their payload.
  package mutating func skipChunk(_ count: Int) {
    precondition(count <= chunkRemaining)
    chunkRemaining -= count
  }

  private mutating func parseInPlace(_ input: inout UnsafeRawBufferPointer) throws(ProtocolViolation)
    -> Event?
  {
    if input.count >= PacketPrefix.size {
      let prefix = PacketPrefix(reading: input)
      try prefix.check(against: limits)
      let end = PacketPrefix.size + prefix.envelopeLength
      if input.count >= end {
        let envelope = UnsafeRawBufferPointer(rebasing: input[PacketPrefix.size..<end])
        if envelope.count > Self.usual { longBytes += UInt64(envelope.count) }
        let event = try packet(prefix, envelope)
        input.drop(end)
        return event
      }
      if prefix.envelopeLength > Self.usual { longBytes += UInt64(input.count) }
    }
    staged.append(contentsOf: input)
    input.drop(input.count)
    return nil
  }

  private mutating func parseStaged(_ input: inout UnsafeRawBufferPointer) throws(ProtocolViolation) -> Event?
  {
    guard stage(upTo: PacketPrefix.size, from: &input) else { return nil }
    let prefix = staged.withUnsafeBytes { PacketPrefix(reading: $0) }
    try prefix.check(against: limits)
    guard stage(upTo: PacketPrefix.size + prefix.envelopeLength, from: &input) else { return nil }
    let whole = staged
    staged = []
    let event = whole.withUnsafeBytes { bytes -> Result<Event, ProtocolViolation> in
      do throws(ProtocolViolation) {
        return .success(try packet(prefix, UnsafeRawBufferPointer(rebasing: bytes[PacketPrefix.size...])))
      } catch {
        return .failure(error)
      }
    }
    return try event.get()
  }

  private mutating func stage(upTo count: Int, from input: inout UnsafeRawBufferPointer) -> Bool {
    let missing = min(max(count - staged.count, 0), input.count)
    if count > Self.usual { longBytes += UInt64(missing) }
    staged.append(contentsOf: input.prefix(missing))
    input.drop(missing)
    return staged.count >= count
  }

  private mutating func packet(
    _ prefix: PacketPrefix, _ bytes: UnsafeRawBufferPointer
  ) throws(ProtocolViolation) -> Event {
    chunkRemaining = prefix.chunkLength
    if let envelope = Envelope(common: bytes) { return .packet(envelope, chunkLength: prefix.chunkLength) }
    do throws(WireError) {
      return .packet(try Envelope(decoding: bytes), chunkLength: prefix.chunkLength)
    } catch {
      throw ProtocolViolation(.invalidArgument, "an envelope does not parse: \(error)")
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate mutating func drop(_ count: Int) {
    self = UnsafeRawBufferPointer(rebasing: dropFirst(count))
  }
}
