extension ControlType {
  /// The name for people: "integer menu".
  public var name: String {
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
  public var names: [String] {
    let named: [(ControlFlags, String)] = [
      (.disabled, "disabled"), (.grabbed, "in use"), (.readOnly, "read-only"), (.writeOnly, "write-only"),
      (.inactive, "inactive"), (.volatile, "volatile"),
    ]
    return named.filter { contains($0.0) }.map(\.1)
  }
}
