public import CaptureModel

extension ControlDescription {
  /// `value`: the current value; `nil` where it cannot be read.
  public init(_ control: CaptureModel.ControlDescription, value: CaptureModel.ControlValue?) {
    let flags = control.flags
    self.init(
      id: control.id.rawValue, name: control.name, label: control.label, type: ControlType(control.type),
      minimum: control.minimum, maximum: control.maximum, step: control.step,
      defaultValue: control.defaultValue, menu: control.menu.map(MenuItem.init),
      elements: UInt32(clamping: control.elements),
      dimensions: control.dimensions.map { UInt32(clamping: $0) },
      readOnly: flags.contains(.readOnly), writeOnly: flags.contains(.writeOnly),
      inactive: flags.contains(.inactive), disabled: flags.contains(.disabled),
      grabbed: flags.contains(.grabbed), isVolatile: flags.contains(.volatile),
      hasPayload: flags.contains(.hasPayload), flags: flags.rawValue, className: control.className,
      value: value.map(ControlValue.init), v4l2Type: control.type.v4l2)
  }

  package var model: CaptureModel.ControlDescription {
    .init(
      id: ControlID(rawValue: id), name: name, label: label,
      type: CaptureModel.ControlType(v4l2: v4l2Type), minimum: minimum, maximum: maximum, step: step,
      defaultValue: defaultValue, menu: menu.map(\.model), elements: Int(elements),
      dimensions: dimensions.map(Int.init), flags: ControlFlags(rawValue: flags), className: className)
  }
}

extension MenuItem {
  init(_ item: CaptureModel.ControlDescription.MenuItem) {
    switch item.content {
    case .name(let name): self.init(index: item.index, name: name)
    case .value(let value): self.init(index: item.index, value: value)
    }
  }

  fileprivate var model: CaptureModel.ControlDescription.MenuItem {
    .init(index: index, content: name.isEmpty ? .value(value) : .name(name))
  }
}

extension ControlType {
  init(_ type: CaptureModel.ControlType) {
    if case .compound = type {
      self = .compound
    } else {
      self.init(rawValue: type.v4l2 <= 9 ? type.v4l2 : type.v4l2 - 0x100 + 10)
    }
  }
}

extension CaptureModel.ControlType {
  /// `enum v4l2_ctrl_type`.
  fileprivate var v4l2: UInt32 {
    switch self {
    case .integer: 1
    case .boolean: 2
    case .menu: 3
    case .button: 4
    case .integer64: 5
    case .controlClass: 6
    case .string: 7
    case .bitmask: 8
    case .integerMenu: 9
    case .u8: 0x100
    case .u16: 0x101
    case .u32: 0x102
    case .compound(let type): type
    }
  }

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

extension ControlValue {
  public init(_ value: CaptureModel.ControlValue) {
    let kind: Kind =
      switch value {
      case .integer(let number): .integer(number)
      case .text(let text): .text(text)
      case .integers(let numbers): .integers(IntegerArray(values: numbers))
      case .raw(let bytes): .raw(bytes)
      }
    self.init(kind: kind)
  }

  /// Throws `invalidArgument` for a missing value.
  public func model() throws(CaptureError) -> CaptureModel.ControlValue {
    switch kind {
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .integers(let numbers): .integers(numbers.values)
    case .raw(let bytes): .raw(bytes)
    case nil: throw CaptureError(.invalidArgument, "a control's value is missing", .init(.valueMissing))
    }
  }
}

extension ControlReading {
  public init(_ readout: ControlReadout) {
    self.init(
      id: readout.id.rawValue, name: readout.name, value: readout.value.map { ControlValue($0) },
      menuName: readout.menuName ?? "")
  }

  package var model: ControlReadout {
    .init(
      id: ControlID(rawValue: id), name: name, value: try? value?.model(),
      menuName: menuName.isEmpty ? nil : menuName)
  }
}
