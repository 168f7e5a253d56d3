import CaptureSystem
import Glibc

/// The pieces of one `writev`. It is reused for every write of a loop.
package struct WriteBatch: ~Copyable {
  struct Packet {
    let message: OutgoingMessage
    /// Where its prefix and envelope are in the scratch memory; empty for a message that is a complete packet.
    let header: Range<Int>
    /// The part of the message's payload that is in the packet.
    let offset, count: Int
    var size: Int { header.count + count }
  }

  /// The most pieces of a batch.
  static let capacity = 128
  /// A batch with so many bytes takes no further packet: more bytes would only delay other packets.
  static let byteTarget = 2 << 20

  private let iovecs = UnsafeMutableBufferPointer<iovec>.allocate(capacity: capacity)
  private let headers = UnsafeMutableRawBufferPointer.allocate(byteCount: 8_192, alignment: 8)
  private var iovecCount = 0
  private var headerCount = 0
  var packets: [Packet] = []
  private(set) var byteCount = 0

  package init() { packets.reserveCapacity(Self.capacity) }

  deinit {
    iovecs.deallocate()
    headers.deallocate()
  }

  var pieces: UnsafeBufferPointer<iovec> { UnsafeBufferPointer(rebasing: iovecs[..<iovecCount]) }

  mutating func reset() {
    iovecCount = 0
    headerCount = 0
    byteCount = 0
    if !packets.isEmpty { packets.removeAll(keepingCapacity: true) }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    iovecs[iovecCount] = iovec(
      iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    iovecCount += 1
    byteCount += bytes.count
  }

  /// Appends the bytes `offset ..< offset + count` of `payload`.
  mutating func append(_ payload: Payload, offset: Int, count: Int) {
    var skip = offset
    var left = count
    for segment in payload.segments where left > 0 {
      if skip >= segment.count {
        skip -= segment.count
        continue
      }
      let piece = UnsafeRawBufferPointer(rebasing: segment[skip..<min(segment.count, skip + left)])
      append(piece)
      left -= piece.count
      skip = 0
    }
  }

  /// Plans the next packet of `message`. Returns `false` where there is no room.
  mutating func plan(_ message: OutgoingMessage, chunkLimit: Int) -> Bool {
    guard iovecCount + 1 + Payload.maximumSegments <= Self.capacity, byteCount < Self.byteTarget else {
      return false
    }
    let count = message.nextCount(chunkLimit: chunkLimit)
    var header = headerCount..<headerCount
    if let size = message.nextEnvelopeSize {
      header = headerCount..<headerCount + PacketPrefix.size + size
      guard header.upperBound <= headers.count else { return false }
      let start = headers.baseAddress! + header.lowerBound
      PacketPrefix(envelopeLength: size, chunkLength: count).write(to: start)
      message.writeNextEnvelope(to: start + PacketPrefix.size)
      headerCount = header.upperBound
      append(headerBytes(header))
    }
    if let payload = message.payload, count > 0 { append(payload, offset: message.planned, count: count) }
    packets.append(Packet(message: message, header: header, offset: message.planned, count: count))
    message.plan(count)
    return true
  }

  /// The prefix and envelope of a planned packet, valid until the next ``reset()``.
  func headerBytes(_ header: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(headers)[header])
  }

  /// The longest envelope for which the scratch memory has room.
  static let headerRoom = 4_096
}
