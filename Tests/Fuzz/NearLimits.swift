// Packets as long as a side takes, or a little longer: an input says what one is filled with. libFuzzer itself would take days to grow one.
import CaptureWire

/// What a packet is made in; not counted as what an input takes.
private nonisolated(unsafe) let room =
  UnsafeMutableRawBufferPointer.allocate(byteCount: 5 << 20, alignment: 8)

/// Bytes are read in pieces as long as a connection's reads.
private let readSize = 64 << 10

/// A client stream, open as call 1.
private let opening = PacketEncoder.header(
  Envelope(callID: 1, kind: .request(Request(method: "t/C", noMessage: true))))

/// Side and kind, length, chunk, and how many bytes come before those that are repeated to the end.
@_cdecl("fuzz_near_limits")
public func fuzzNearLimits(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard count > 4, let start else { return }
  let rest = UnsafeRawBufferPointer(start: start + 4, count: count - 4)
  let head = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(start[3])))
  let unit = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(start[3])))
  let isServer = start[0] & 1 == 0
  let isGreeted = start[0] & 2 == 0
  var packet = PacketWriter(isServer && isGreeted ? opening : [])
  packet.write(
    kind: (start[0] >> 2) % 11 + 1, isServer: isServer,
    length: length(start[1], limit: isServer ? PacketLimits.node.envelope : PacketLimits.client.envelope),
    head, unit, chunk: Int(start[2]) * 1_030)
  let input = UnsafeRawBufferPointer(rebasing: room[..<packet.count])
  if isServer {
    feedServer(input, step: readSize, pause: 1_000, isGreeted: isGreeted)
  } else {
    feedClient(input, step: readSize, pause: 1_000, isGreeted: isGreeted)
  }
}

/// Mostly about as long as the limit, else a part of it.
private func length(_ byte: UInt8, limit: Int) -> Int {
  byte < 192 ? limit - 128 + Int(byte) : limit * Int(byte - 191) / 65
}

private struct PacketWriter {
  private(set) var count = 0

  init(_ before: [UInt8]) { put(before) }

  /// A packet whose envelope has at most `length` bytes: whole units, as many as it holds.
  mutating func write(
    kind: UInt8, isServer: Bool, length: Int, _ head: UnsafeRawBufferPointer, _ unit: UnsafeRawBufferPointer,
    chunk: Int
  ) {
    let prefix = count
    count += PacketPrefix.size
    let envelope = count
    // 1: fields of the envelope itself; call 0 takes Hello, Ping, Pong and GoAway.
    if kind > 1 {
      if !([2, 9, 10, 11] as [UInt8]).contains(kind) { put([0x08, kind == 3 && isServer ? 3 : 1]) }
      put([kind << 3 | 2])
    }
    let content = max(0, length - (count - envelope) - 4)
    let units = unit.isEmpty ? 0 : max(0, content - head.count) / unit.count
    if kind > 1 { put(number: head.count + units * unit.count) }
    put(head)
    repeatUnit(unit, units)
    PacketPrefix(envelopeLength: count - envelope, chunkLength: chunk).write(to: room.baseAddress! + prefix)
    room.baseAddress!.advanced(by: count).initializeMemory(as: UInt8.self, repeating: 7, count: chunk)
    count += chunk
  }

  private mutating func repeatUnit(_ unit: UnsafeRawBufferPointer, _ units: Int) {
    guard units > 0 else { return }
    let (start, end) = (room.baseAddress! + count, count + units * unit.count)
    put(unit)
    var filled = unit.count
    while count < end {
      let more = min(filled, end - count)
      (room.baseAddress! + count).copyMemory(from: start, byteCount: more)
      count += more
      filled += more
    }
  }

  private mutating func put(_ bytes: some Collection<UInt8>) {
    UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyBytes(from: bytes)
    count += bytes.count
  }

  /// In four bytes, so that it takes as many whatever it is.
  private mutating func put(number: Int) {
    put([0, 7, 14, 21].map { UInt8(truncatingIfNeeded: number >> $0) & 0x7F | ($0 < 21 ? 0x80 : 0) })
  }
}
