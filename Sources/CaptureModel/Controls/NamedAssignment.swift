/// A value for a control.
public enum ControlSetting: Hashable, Sendable {
  /// A value in the control's own type and units.
  case value(ControlValue)
  /// A value as a person writes it: a number, on or off, a menu's name, a text, "1,2,3" for an array. The node reads it by the control's type.
  case literal(String)
}

/// A value for a control that a person names.
public struct NamedAssignment: Hashable, Sendable {
  /// The control's name, label or number.
  public var name: String
  /// What it is to be set to.
  public var value: ControlSetting

  public init(name: String, value: ControlSetting) { (self.name, self.value) = (name, value) }
}
