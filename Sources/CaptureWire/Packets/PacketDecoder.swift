/// Cuts a byte stream into packets. It keeps only the bytes of an unfinished prefix or envelope. Chunk bytes pass through it by reference, or go past
/// it, straight into their payload's memory (``skipChunk(_:)``).
package struct PacketDecoder {
  package enum Event {
    /// A complete envelope. `chunkLength` bytes of a chunk follow.
    case packet(Envelope, chunkLength: Int)
    /// Bytes of the chunk, valid as long as the input.
    case chunk(UnsafeRawBufferPointer)
  }

  private let limits: PacketLimits
  private var staged: [UInt8] = []
  private var isFirstByte = true
  /// How many bytes of the present packet's chunk are still to come.
  package private(set) var chunkRemaining = 0

  package init(limits: PacketLimits) { self.limits = limits }

  /// Whether a packet has begun and not ended.
  package var isInsidePacket: Bool { chunkRemaining > 0 || !staged.isEmpty }

  /// The total length, in bytes, of the long envelopes that have come whole.
  package private(set) var longBytes: UInt64 = 0
  /// The length of the longest usual envelope, in bytes. A longer one is a long envelope.
  private static let usual = 4_096

  /// How many bytes of a long envelope are still to come; 0: none has begun.
  package var longRemaining: Int {
    guard staged.count >= PacketPrefix.size else { return 0 }
    let length = staged.withUnsafeBytes { PacketPrefix(reading: $0).envelopeLength }
    return length > Self.usual ? PacketPrefix.size + length - staged.count : 0
  }

  /// How many bytes of an unfinished prefix or envelope are kept.
  package var stagedCount: Int { staged.count }
  /// How much memory the kept bytes take.
  package var stagedCapacity: Int { staged.capacity }

  /// Returns the next event in `input`, and moves the start of `input` past the bytes that it took; `nil` when it took all.
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

  /// Notes that `count` bytes of the chunk were read straight into their payload.
  package mutating func skipChunk(_ count: Int) {
    precondition(count <= chunkRemaining)
    chunkRemaining -= count
  }

  private mutating func parseInPlace(_ input: inout UnsafeRawBufferPointer) throws(ProtocolViolation)
    -> Event?
  {
    var whole = PacketPrefix.size
    if input.count >= PacketPrefix.size {
      let prefix = PacketPrefix(reading: input)
      try prefix.check(against: limits)
      whole += prefix.envelopeLength
      if input.count >= whole {
        let envelope = UnsafeRawBufferPointer(rebasing: input[PacketPrefix.size..<whole])
        let event = try packet(prefix, envelope)
        input.drop(whole)
        return event
      }
    }
    _ = stage(upTo: whole, from: &input)
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
    let needed = staged.count + missing
    // This reserves the memory, since an array that grows by itself takes up to twice what has come, or the next power of two.
    if needed > staged.capacity { staged.reserveCapacity(min(count, needed + Self.spare(needed))) }
    staged.append(contentsOf: input.prefix(missing))
    input.drop(missing)
    return staged.count >= count
  }

  /// How many bytes are reserved beyond `count`: as many again, but not more than 4 KiB or an eighth of `count`, whichever is more.
  private static func spare(_ count: Int) -> Int { min(count, max(4_096, count / 8)) }

  private mutating func packet(
    _ prefix: PacketPrefix, _ bytes: UnsafeRawBufferPointer
  ) throws(ProtocolViolation) -> Event {
    chunkRemaining = prefix.chunkLength
    if bytes.count > Self.usual { longBytes += UInt64(bytes.count) }
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
