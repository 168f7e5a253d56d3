import CaptureControls
import CaptureModel

extension ControlDescription {
  /// A menu's item by its number.
  func item(at index: Int64) -> String? {
    menu.first { $0.index == index }.map { item in
      switch item.content {
      case .name(let name): name
      case .value(let value): "\(value)"
      }
    }
  }
}

extension ControlDescription {
  /// The unit of a value, where V4L2 defines one: `V4L2_CID_WHITE_BALANCE_TEMPERATURE`, `_EXPOSURE_ABSOLUTE`, `_PAN_ABSOLUTE`, `_TILT_ABSOLUTE`.
  var unit: String? {
    switch id {
    case .whiteBalanceTemperature: "K"
    case .exposureAbsolute: "100 µs"
    case .panAbsolute, .tiltAbsolute: "arc seconds"
    default: nil
    }
  }
}

extension ControlType {
  /// The name for people and for `--json`.
  var name: String {
    switch self {
    case .integer: "integer"
    case .boolean: "boolean"
    case .menu: "menu"
    case .button: "button"
    case .integer64: "integer64"
    case .controlClass: "class"
    case .string: "string"
    case .bitmask: "bitmask"
    case .integerMenu: "integer menu"
    case .u8: "u8"
    case .u16: "u16"
    case .u32: "u32"
    case .compound: "compound"
    }
  }
}

extension ControlFlags {
  /// The flags that matter to somebody who wants to set the control.
  var names: [String] {
    let named: [(ControlFlags, String)] = [
      (.disabled, "disabled"), (.grabbed, "in use"), (.readOnly, "read-only"), (.writeOnly, "write-only"),
      (.inactive, "inactive"), (.volatile, "volatile"),
    ]
    return named.filter { contains($0.0) }.map(\.1)
  }
}
