/// The value of a control, as the driver reports it.
public struct ControlReadout: Hashable, Sendable {
  /// The driver's number of the control, `V4L2_CID_*`.
  public var id: ControlID
  /// The driver's name as one word: "white_balance_automatic".
  public var name: String
  /// `nil` where it cannot be read.
  public var value: ControlValue?
  /// The name of a menu's current item.
  public var menuName: String?

  public init(id: ControlID, name: String, value: ControlValue?, menuName: String? = nil) {
    (self.id, self.name, self.value, self.menuName) = (id, name, value, menuName)
  }

  /// The value of `control`; if the value is an item of a menu, with the item's name.
  package init(_ control: ControlDescription, value: ControlValue) {
    var menuName: String?
    if case .integer(let index) = value { menuName = control.menuName(at: index) }
    self.init(id: control.id, name: control.name, value: value, menuName: menuName)
  }
}
