import Glibc

/// Bulk bytes with one owner and many readers: a lease on a camera's buffer, an encoded picture, a message's received payload.
///
/// Immutable once made. The bytes are given back (a V4L2 buffer is queued again, memory goes to its pool) when the last
/// reference goes. They lie in up to ``maximumSegments`` pieces: the planes of a multi-planar frame, else one.
///
/// Unchecked: the memory is written before `init` and only read afterwards; the release closure is called once, from `deinit`.
public final class Payload: @unchecked Sendable {
  /// The pieces, in order. Valid as long as this object lives.
  public let segments: [UnsafeRawBufferPointer]
  /// Bytes in all segments.
  public let count: Int
  private let release: (@Sendable () -> Void)?

  /// Planes that a V4L2 frame can have (`VIDEO_MAX_PLANES`).
  public static let maximumSegments = 8

  /// Lends memory that someone else owns. `release` is called once, on any thread, when no reader is left.
  public init(lending segments: [UnsafeRawBufferPointer], release: @escaping @Sendable () -> Void) {
    precondition(segments.count <= Self.maximumSegments)
    self.segments = segments
    self.count = segments.reduce(0) { $0 + $1.count }
    self.release = release
  }

  /// Lends one piece of memory.
  public convenience init(lending segment: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
    self.init(lending: [segment], release: release)
  }

  /// Copies `bytes`.
  public convenience init(copying bytes: some Collection<UInt8>) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 64)
    memory.copyBytes(from: bytes)
    nonisolated(unsafe) let base = memory
    self.init(lending: UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])) { base.deallocate() }
  }

  /// No bytes.
  public static let empty = Payload(lending: [], release: {})

  deinit { release?() }
}

extension Payload {
  /// Calls `body` with the bytes in one piece. It copies them first if they lie in several pieces.
  public func withContiguousBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    if segments.count == 1 { return try body(segments[0]) }
    return try Array(self.bytes).withUnsafeBytes(body)
  }

  /// A copy of all bytes.
  public var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var offset = 0
      for segment in segments where !segment.isEmpty {
        memcpy(buffer.baseAddress! + offset, segment.baseAddress!, segment.count)
        offset += segment.count
      }
      initialized = offset
    }
  }
}

extension Payload {
  /// Copies the bytes `offset ..< offset + count` into memory of their own, so that this payload need not be held for them.
  package func copy(offset: Int, count: Int) -> Payload {
    precondition(offset >= 0 && count >= 0 && offset + count <= self.count)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 64)
    var (skip, copied) = (offset, 0)
    for segment in segments where copied < count {
      let piece = segment.dropFirst(skip).prefix(count - copied)
      skip = max(0, skip - segment.count)
      UnsafeMutableRawBufferPointer(rebasing: memory[copied...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: piece))
      copied += piece.count
    }
    nonisolated(unsafe) let base = memory
    return Payload(lending: UnsafeRawBufferPointer(rebasing: memory[..<count])) { base.deallocate() }
  }
}
