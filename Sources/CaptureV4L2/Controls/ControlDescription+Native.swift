import CVideo4Linux
import CaptureModel
import CaptureSystem

extension ControlDescription {
  /// The description without the items of a menu: ``VideoDevice/menu(of:)`` asks the driver for them.
  init(_ native: v4l2_query_ext_ctrl, className: String) {
    let label = text(native.name)
    self.init(
      id: ControlID(rawValue: native.id), name: word(from: label), label: label, type: ControlType(native),
      minimum: native.minimum, maximum: native.maximum, step: native.step, defaultValue: native.default_value,
      elements: Int(native.elems), elementSize: Int(native.elem_size),
      flags: ControlFlags(rawValue: native.flags), className: className)
    dimensions = withUnsafeBytes(of: native.dims) { bytes in
      bytes.bindMemory(to: UInt32.self).prefix(Int(native.nr_of_dims)).map(Int.init)
    }
  }
}

extension VideoDevice {
  /// The items of a menu; empty for other types.
  func menu(of control: ControlDescription) throws(Errno) -> [ControlDescription.MenuItem] {
    var items: [ControlDescription.MenuItem] = []
    guard control.type == .menu || control.type == .integerMenu, control.minimum >= 0,
      control.maximum >= control.minimum, control.maximum < 1024
    else { return items }
    for index in control.minimum...control.maximum {
      guard let native = try menuItem(control.id, at: UInt32(index)) else { continue }
      let content: ControlDescription.MenuItem.Content =
        control.type == .menu ? .name(text(native.name)) : .value(native.value)
      items.append(.init(index: index, content: content))
    }
    return items
  }
}

/// A driver's label as one word, made as v4l2-ctl does it: "White Balance, Automatic" becomes "white_balance_automatic".
func word(from label: String) -> String {
  var word: [UInt8] = []
  var gap = false
  for byte in label.utf8 {
    switch byte {
    case 0x30...0x39, 0x61...0x7A, 0x41...0x5A:
      if gap { word.append(0x5F) }
      gap = false
      word.append((0x41...0x5A).contains(byte) ? byte + 0x20 : byte)
    default:
      gap = !word.isEmpty
    }
  }
  return String(decoding: word, as: UTF8.self)
}

extension ControlType {
  init(_ native: v4l2_query_ext_ctrl) {
    switch v4l2_ctrl_type(rawValue: native.type) {
    case V4L2_CTRL_TYPE_INTEGER: self = .integer
    case V4L2_CTRL_TYPE_BOOLEAN: self = .boolean
    case V4L2_CTRL_TYPE_MENU: self = .menu
    case V4L2_CTRL_TYPE_BUTTON: self = .button
    case V4L2_CTRL_TYPE_INTEGER64: self = .integer64
    case V4L2_CTRL_TYPE_CTRL_CLASS: self = .controlClass
    case V4L2_CTRL_TYPE_STRING: self = .string
    case V4L2_CTRL_TYPE_BITMASK: self = .bitmask
    case V4L2_CTRL_TYPE_INTEGER_MENU: self = .integerMenu
    case V4L2_CTRL_TYPE_U8: self = .u8
    case V4L2_CTRL_TYPE_U16: self = .u16
    case V4L2_CTRL_TYPE_U32: self = .u32
    default: self = .compound(native.type)
    }
  }
}
