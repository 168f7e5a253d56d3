import CaptureModel

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
  /// In the order in which they were set last: one may act on another, as a temperature does on the balances of red and blue.
  public private(set) var entries: [Entry] = []

  public init() {}

  init(_ entries: [Entry]) { self.entries = entries }

  public var isEmpty: Bool { entries.isEmpty }

  /// Remembers a value that was set. Controls that act instead of keeping a value are left out: they must not act again by themselves.
  public mutating func note(_ control: ControlDescription, _ value: ControlValue) {
    guard control.keepsValue else { return }
    forget(control.id)
    entries.append(Entry(id: control.id, name: control.name, isSwitch: control.isSwitch, value: value))
  }

  /// As if it had never been set.
  public mutating func forget(_ control: ControlID) { entries.removeAll { $0.id == control } }

  /// It is as another memory has it, and has its place there.
  public mutating func take(_ control: ControlID, from other: ControlMemory) {
    forget(control)
    guard let place = other.entries.firstIndex(where: { $0.id == control }) else { return }
    let before = entries.lastIndex { entry in other.entries[..<place].contains { $0.id == entry.id } }
    entries.insert(other.entries[place], at: before.map { $0 + 1 } ?? 0)
  }

  /// The balances of red and blue were set behind the temperature.
  package var balancesByGains: Bool {
    let colour = entries.last { [.whiteBalanceTemperature, .redBalance, .blueBalance].contains($0.id) }
    return colour.map { $0.id != .whiteBalanceTemperature } ?? false
  }

  /// Automatic modes, which free or take over other controls.
  public var switches: [Entry] { entries.filter(\.isSwitch) }
  /// What may be set once those are right.
  public var values: [Entry] { entries.filter { !$0.isSwitch } }
}
