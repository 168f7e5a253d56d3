import CaptureModel

extension CaptureModel.ControlDescription {
  package init(_ message: ControlDescription) {
    self.init(
      id: ControlID(rawValue: message.id), name: message.name, label: message.label,
      type: CaptureModel.ControlType(v4l2: message.v4l2Type), minimum: message.minimum,
      maximum: message.maximum, step: message.step, defaultValue: message.defaultValue,
      menu: message.menu.map { CaptureModel.ControlDescription.MenuItem($0) },
      elements: Int(message.elements),
      dimensions: message.dimensions.map(Int.init), flags: ControlFlags(rawValue: message.flags),
      className: message.className)
  }
}

extension CaptureModel.ControlDescription.MenuItem {
  fileprivate init(_ message: MenuItem) {
    self.init(
      index: message.index, content: message.name.isEmpty ? .value(message.value) : .name(message.name))
  }
}

extension CaptureModel.ControlType {
  /// Reads `enum v4l2_ctrl_type`.
  package init(v4l2: UInt32) {
    switch v4l2 {
    case 1: self = .integer
    case 2: self = .boolean
    case 3: self = .menu
    case 4: self = .button
    case 5: self = .integer64
    case 6: self = .controlClass
    case 7: self = .string
    case 8: self = .bitmask
    case 9: self = .integerMenu
    case 0x100: self = .u8
    case 0x101: self = .u16
    case 0x102: self = .u32
    default: self = .compound(v4l2)
    }
  }
}
