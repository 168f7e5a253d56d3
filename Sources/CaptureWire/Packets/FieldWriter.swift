/// Writes protobuf fields with numbers below 16 into memory that is large enough. Like protobuf it leaves out values that are 0 or empty.
struct FieldWriter {
  private(set) var next: UnsafeMutableRawPointer

  init(_ start: UnsafeMutableRawPointer) { next = start }

  mutating func number(_ field: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    put(field << 3)
    put(number: value)
  }

  mutating func bytes(_ field: UInt8, _ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    begin(field, count: bytes.count)
    next.copyMemory(from: base, byteCount: bytes.count)
    next += bytes.count
  }

  /// Begins a message of so many bytes, which the caller writes next. It is written even if it is empty.
  mutating func begin(_ field: UInt8, count: Int) {
    put(field << 3 | 2)
    put(number: UInt64(count))
  }

  private mutating func put(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest))
  }

  private mutating func put(_ byte: UInt8) {
    next.storeBytes(of: byte, as: UInt8.self)
    next += 1
  }

  // MARK: Sizes

  static func size(number value: UInt64) -> Int { value == 0 ? 0 : 1 + length(value) }
  static func size(bytes count: Int) -> Int { count == 0 ? 0 : size(message: count) }
  static func size(message count: Int) -> Int { 1 + length(UInt64(count)) + count }

  /// The encoded length of a number: seven bits a byte.
  private static func length(_ value: UInt64) -> Int { (70 - (value | 1).leadingZeroBitCount) / 7 }
}
