/// A control's value.
public enum ControlValue: Hashable, Sendable {
  /// Integers, booleans (0, 1), menus (the index) and bitmasks. Buttons ignore it.
  case integer(Int64)
  /// The value of a string control.
  case text(String)
  /// The elements of an array.
  case integers([Int64])
  /// A compound control's bytes.
  case raw([UInt8])
}

/// A control, and a value for it.
public struct ControlAssignment: Hashable, Sendable {
  public var id: ControlID
  public var value: ControlValue

  public init(_ id: ControlID, _ value: ControlValue) {
    self.id = id
    self.value = value
  }
}
