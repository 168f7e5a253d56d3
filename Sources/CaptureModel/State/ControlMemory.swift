/// Values of a camera's controls, to be set again where they are forgotten: when the camera returns or the node starts, and by some cameras
/// when a stream starts.
public struct ControlMemory: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var id: ControlID
    /// For a person: kernels rename controls.
    public var name: String
    /// It may free or take over other controls: an automatic mode.
    public var isSwitch: Bool
    public var value: ControlValue
  }
  /// In the order in which they were first set.
  public private(set) var entries: [Entry] = []

  public init() {}

  init(_ entries: [Entry]) { self.entries = entries }

  public var isEmpty: Bool { entries.isEmpty }

  /// Remembers a value that was set. Controls that act instead of keeping a value are left out: they must not act again by themselves.
  public mutating func note(_ control: ControlDescription, _ value: ControlValue) {
    guard control.keepsValue else { return }
    if let index = entries.firstIndex(where: { $0.id == control.id }) {
      entries[index].value = value
    } else {
      entries.append(
        Entry(id: control.id, name: control.name, isSwitch: control.isSwitch, value: value))
    }
  }

  /// As if it had never been set.
  public mutating func forget(_ control: ControlID) { entries.removeAll { $0.id == control } }

  /// It is as another memory has it.
  public mutating func take(_ control: ControlID, from other: ControlMemory) {
    guard let entry = other.entries.first(where: { $0.id == control }) else { return forget(control) }
    if let index = entries.firstIndex(where: { $0.id == control }) {
      entries[index] = entry
    } else {
      entries.append(entry)
    }
  }

  /// Automatic modes, which free or take over other controls.
  public var switches: [Entry] { entries.filter(\.isSwitch) }
  /// What may be set once those are right.
  public var values: [Entry] { entries.filter { !$0.isSwitch } }
}

extension ControlDescription {
  /// A value that was set stays, and does nothing when it is set again.
  public var keepsValue: Bool {
    type != .button && type != .controlClass
      && flags.isDisjoint(with: [.executeOnWrite, .writeOnly, .volatile])
  }

  fileprivate var isSwitch: Bool { type == .boolean || type == .menu || type == .integerMenu }
}
