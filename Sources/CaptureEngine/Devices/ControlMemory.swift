import CaptureModel

/// What clients set on a camera, to be set again where it is forgotten: when the camera returns, and by some when a stream starts.
struct ControlMemory {
  struct Entry {
    var control: ControlDescription
    var value: ControlValue
  }
  /// In the order in which they were first set.
  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Remembers a value that was set. Controls that act instead of keeping a value are left out: they must not act again by themselves.
  mutating func note(_ control: ControlDescription, _ value: ControlValue) {
    guard control.type != .button, control.flags.isDisjoint(with: [.executeOnWrite, .writeOnly, .volatile])
    else { return }
    if let index = entries.firstIndex(where: { $0.control.id == control.id }) {
      entries[index].value = value
    } else {
      entries.append(Entry(control: control, value: value))
    }
  }

  /// Automatic modes, which free or take over other controls.
  var switches: [Entry] { entries.filter(\.control.isSwitch) }
  /// What may be set once those are right.
  var values: [Entry] { entries.filter { !$0.control.isSwitch } }
}

extension ControlDescription {
  fileprivate var isSwitch: Bool { type == .boolean || type == .menu || type == .integerMenu }
}
