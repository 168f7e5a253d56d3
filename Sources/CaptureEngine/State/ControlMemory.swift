import CaptureControls
import CaptureModel

/// The values of a camera's controls, which are set again after the camera forgets them: when the camera returns or the node starts, and for some
/// cameras when a stream starts.
public struct ControlMemory: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var id: ControlID
    /// The name for a person, since kernels rename controls.
    public var name: String
    /// Whether it is an automatic mode, which may free or take over other controls.
    public var isSwitch: Bool
    public var value: ControlValue

    package init(id: ControlID, name: String, isSwitch: Bool, value: ControlValue) {
      (self.id, self.name) = (id, name)
      (self.isSwitch, self.value) = (isSwitch, value)
    }
  }
  /// The entries in the order in which they were last set: a control may act on others, as a temperature acts on the balances of red and blue.
  public private(set) var entries: [Entry] = []

  public init() {}

  package init(_ entries: [Entry]) { self.entries = entries }

  public var isEmpty: Bool { entries.isEmpty }

  /// Remembers a value that was set. Controls that act and keep no value are left out: they must not act again by themselves.
  public mutating func note(_ control: ControlDescription, _ value: ControlValue) {
    guard control.keepsValue else { return }
    forget(control.id)
    entries.append(Entry(id: control.id, name: control.name, isSwitch: control.isSwitch, value: value))
  }

  /// Forgets a control, as if it had never been set.
  public mutating func forget(_ control: ControlID) { entries.removeAll { $0.id == control } }

  /// Takes a control's value and place from another memory.
  public mutating func restore(_ control: ControlID, from other: ControlMemory) {
    forget(control)
    guard let place = other.entries.firstIndex(where: { $0.id == control }) else { return }
    let before = entries.lastIndex { entry in other.entries[..<place].contains { $0.id == entry.id } }
    entries.insert(other.entries[place], at: before.map { $0 + 1 } ?? 0)
  }

  /// Whether a balance of red or blue was set after the temperature, and after the driver took over the colour; `nil`: the memory has no such step.
  package var gainsWereSetLast: Bool? { entries.map { ControlAssignment($0.id, $0.value) }.gainsWereSetLast }

  /// The automatic modes, which free or take over other controls.
  public var switches: [Entry] { entries.filter(\.isSwitch) }
  /// The values that may be set once the modes are right.
  public var values: [Entry] { entries.filter { !$0.isSwitch } }
}
