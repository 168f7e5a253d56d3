import CVideo4Linux
import CaptureModel
import CaptureSystem

/// The memory layout of a control's elements, little-endian as on every machine that this runs on.
struct ControlValueLayout {
  let type: ControlType
  /// The size of an element in bytes; for a string, with its terminator.
  let elementSize: Int
  /// The size of the control's present value in bytes.
  let byteCount: Int
  /// The largest possible size of the control's value in bytes; more than ``byteCount`` for a dynamic array.
  let capacity: Int

  init(_ native: v4l2_query_ext_ctrl) {
    type = ControlType(native)
    let elementSize = max(1, Int(native.elem_size))
    self.elementSize = elementSize
    byteCount = Int(native.elems) * elementSize
    if native.flags & UInt32(V4L2_CTRL_FLAG_DYNAMIC_ARRAY) != 0 {
      let most = withUnsafeBytes(of: native.dims) { bytes in
        bytes.bindMemory(to: UInt32.self).prefix(Int(native.nr_of_dims)).reduce(elementSize) { $0 * Int($1) }
      }
      capacity = max(most, byteCount)
    } else {
      capacity = byteCount
    }
  }

  private var isDynamic: Bool { capacity != byteCount || byteCount == 0 }
  private var isUnsigned: Bool { [.u8, .u16, .u32, .bitmask].contains(type) }

  /// A 32-bit value in the model's form: bitmasks are unsigned.
  func widen(_ value: Int32) -> Int64 { isUnsigned ? Int64(UInt32(bitPattern: value)) : Int64(value) }

  /// The reverse of ``widen(_:)``. A bitmask may also be negative, as v4l2-ctl prints it.
  func narrow(_ value: Int64) throws(Errno) -> Int32 {
    if let value = Int32(exactly: value) { return value }
    guard isUnsigned, let bits = UInt32(exactly: value) else { throw .range }
    return Int32(bitPattern: bits)
  }

  func decode(_ bytes: ArraySlice<UInt8>) -> ControlValue {
    switch type {
    case .string: .text(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
    case .compound: .raw(Array(bytes))
    default:
      .integers(
        stride(from: bytes.startIndex, through: bytes.endIndex - elementSize, by: elementSize).map {
          element(bytes[$0..<$0 + elementSize])
        })
    }
  }

  func encode(_ value: ControlValue) throws(Errno) -> [UInt8] {
    switch (type, value) {
    case (.string, .text(let text)):
      let bytes = Array(text.utf8)
      guard bytes.count < byteCount, !bytes.contains(0) else { throw .range }
      return bytes + [UInt8](repeating: 0, count: byteCount - bytes.count)
    case (.compound, .raw(let bytes)):
      guard bytes.count == byteCount else { throw .invalid }
      return bytes
    case (.string, _), (.compound, _):
      throw .invalid
    case (_, .integers(let values)):
      let count = values.count * elementSize
      guard isDynamic ? (elementSize...capacity).contains(count) : count == byteCount else { throw .invalid }
      var bytes: [UInt8] = []
      for value in values { bytes += try element(value) }
      return bytes
    default:
      throw .invalid
    }
  }

  private func element(_ bytes: ArraySlice<UInt8>) -> Int64 {
    let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let unused = 64 - 8 * Int64(elementSize)
    return isUnsigned ? Int64(bitPattern: bits) : Int64(bitPattern: bits << unused) >> unused
  }

  private func element(_ value: Int64) throws(Errno) -> [UInt8] {
    let bytes = (0..<elementSize).map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
    guard element(bytes[...]) == value else { throw .range }
    return bytes
  }
}

extension ControlValue {
  /// The value in a control event; `nil` where it has none.
  init?(_ event: v4l2_event_ctrl) {
    guard event.changes & UInt32(V4L2_EVENT_CTRL_CH_VALUE) != 0 else { return nil }
    switch v4l2_ctrl_type(rawValue: event.type) {
    case V4L2_CTRL_TYPE_INTEGER64:
      self = .integer(event.value64)
    case V4L2_CTRL_TYPE_BITMASK:
      self = .integer(Int64(UInt32(bitPattern: event.value)))
    case V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_BOOLEAN, V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU:
      self = .integer(Int64(event.value))
    default:
      return nil
    }
  }
}
