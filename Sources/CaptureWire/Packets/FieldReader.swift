/// Reads protobuf fields in their usual form: of the expected types, each once, strings of ASCII without NUL. Anything else makes it ``isUnusual``, and
/// the values that it returns from then on mean nothing.
struct FieldReader {
  private var next: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private var seen: UInt16 = 0
  private(set) var isUnusual = false

  init(_ bytes: UnsafeRawBufferPointer) {
    // An empty buffer may have no address.
    next = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
    end = next + bytes.count
  }

  var isAtEnd: Bool { next == end }

  /// The number and type of the next field, as protobuf writes them for numbers below 16; `nil` at the end.
  mutating func tag() -> UInt8? {
    guard !isUnusual, next < end else { return nil }
    let tag = next.load(as: UInt8.self)
    next += 1
    guard tag < 0x80, seen & 1 << UInt16(tag >> 3) == 0 else { return unusual(nil) }
    seen |= 1 << UInt16(tag >> 3)
    return tag
  }

  mutating func number() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while next < end, shift < 63 {
      let byte = next.load(as: UInt8.self)
      next += 1
      value |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return unusual(0)
  }

  mutating func number32() -> UInt32 {
    let value = number()
    return value <= UInt64(UInt32.max) ? UInt32(truncatingIfNeeded: value) : unusual(0)
  }

  mutating func flag() -> Bool {
    let value = number()
    return value <= 1 ? value == 1 : unusual(false)
  }

  /// Returns bytes that are valid as long as the input.
  mutating func bytes() -> UnsafeRawBufferPointer {
    let start = next
    let count = number()
    guard !isUnusual, next - start <= 4, count <= UInt64(end - next) else {
      return unusual(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    defer { next += Int(count) }
    return UnsafeRawBufferPointer(start: next, count: Int(count))
  }

  mutating func string() -> String {
    let bytes = bytes()
    for byte in bytes where byte == 0 || byte >= 0x80 { return unusual("") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Leaves the input to protobuf-c, because of what was found.
  mutating func unusual<Value>(_ value: Value) -> Value {
    isUnusual = true
    return value
  }
}
