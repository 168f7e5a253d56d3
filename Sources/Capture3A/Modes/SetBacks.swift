import CaptureModel

/// What a camera has to get back from searches: an exposure that a search had borrowed, and the values, or the camera's own automatic mode, from
/// before a search that found nothing.
///
/// An item that the driver refuses stays due. It is tried again with later frames, each time after twice as many of them, and is given up after
/// ``mostTries``. An exposure is set as a whole at first. If the driver refuses it, its duration and its gain become items of their own, so that the
/// refused one does not keep back the other. In the same way a mode is separated from the values that it leaves free.
package struct SetBacks: Sendable {
  package struct Item: Sendable {
    /// Identifies the item while it is due.
    package let number: Int
    package fileprivate(set) var change: SettingsChange
    package fileprivate(set) var refusals = 0
    /// How many frames must come before the item is tried again.
    fileprivate var framesToWait = 0
    /// Whether the item was split off a larger one that the driver refused.
    fileprivate var isSingle = false
    /// Whether somebody was told that the item waits for the next stream.
    fileprivate var isTold = false
  }

  /// Why something was not set.
  package enum Obstacle: Sendable {
    /// The driver refused it. `framesCome`: whether a stream runs.
    case refusal(framesCome: Bool)
    /// The driver was not asked: the camera is away, or the attempt was cancelled.
    case absence
  }

  /// A refusal that somebody has to be told of.
  package struct Refusal: Sendable {
    /// The refused change, of one setting or of one mode.
    package let change: SettingsChange
    /// Whether the change is given up. Otherwise it is tried again with the next stream.
    package let isFinal: Bool
  }

  /// An item is given up after this many tries. While frames come, the tries take 63 of them, usually two seconds. There are no more, since the
  /// camera's controls are read again after every try.
  package static let mostTries = 7

  private var items: [Item] = []
  private var latestNumber = 0

  package var isEmpty: Bool { items.isEmpty }

  /// The item to set now; `nil`: none.
  package var next: Item? { items.first { $0.framesToWait == 0 } }

  /// Whether something of this group is due, now or with a later frame.
  package func owes(_ group: SettingGroup) -> Bool { items.contains { !$0.change.part(group).isEmpty } }

  /// The change that an item makes; `nil`: the item is no longer due.
  package subscript(number: Int) -> SettingsChange? { items.first { $0.number == number }?.change }

  /// The exposure that is due. `isRefused`: only values that the driver has refused so far (`true`), or only the others (`false`); `nil`: all.
  func exposure(isRefused: Bool? = nil) -> SettingsChange.Exposure? {
    var change = SettingsChange()
    for item in items where isRefused == nil || isRefused == (item.refusals > 0) { change.add(item.change) }
    return change.exposure == .init() ? nil : change.exposure
  }

  /// The camera's own automatic modes that are due.
  var modes: SettingsChange {
    var change = SettingsChange()
    for item in items { change.add(item.change.modes) }
    return change
  }

  // MARK: What is due

  /// Adds a change that is to be set back. It replaces what was due of the same groups. `isRefused`: the driver has refused the change before.
  package mutating func add(_ change: SettingsChange, isRefused: Bool = false) {
    var change = change
    change.dropPlaces()
    for group in SettingsChange.searchedGroups {
      let part = change.part(group)
      guard !part.isEmpty else { continue }
      remove(group)
      append(part, refusals: isRefused ? 1 : 0, framesToWait: isRefused ? 1 : 0)
    }
  }

  private mutating func append(_ change: SettingsChange, refusals: Int, framesToWait: Int) {
    latestNumber += 1
    items.append(
      Item(number: latestNumber, change: change, refusals: refusals, framesToWait: framesToWait))
  }

  /// Removes what is due of a group, because something newer sets that group. Returns what was removed.
  @discardableResult
  package mutating func remove(_ group: SettingGroup) -> SettingsChange {
    var removed = SettingsChange()
    for item in items { removed.add(item.change.part(group)) }
    items.removeAll { !$0.change.part(group).isEmpty }
    return removed
  }

  /// Removes all items, for a caller that sets them. Returns them.
  mutating func takeAll() -> [Item] {
    defer { items = [] }
    return items
  }

  /// Takes back items that ``takeAll()`` returned. Where something of an item's group has become due meanwhile, that is newer, and the item is
  /// dropped.
  mutating func putBack(_ taken: [Item]) {
    let newer = SettingsChange.searchedGroups.filter(owes)
    items = taken.filter { item in newer.allSatisfy { item.change.part($0).isEmpty } } + items
  }

  // MARK: Tries

  /// Tells that a frame has come.
  package mutating func frameCame() {
    for index in items.indices where items[index].framesToWait > 0 { items[index].framesToWait -= 1 }
  }

  /// Tells that no frames come any more. All items are tried once more at once: some drivers accept values only while they do not stream.
  mutating func streamEnded() {
    for index in items.indices { items[index].framesToWait = 0 }
  }

  /// Has the values of a group set without the mode, which is given up. Their tries start again, since they were refused together with the mode.
  private mutating func setAlone(_ group: SettingGroup) {
    for index in items.indices where !items[index].change.part(group).isEmpty {
      items[index].change.dropModes()
      (items[index].refusals, items[index].framesToWait) = (0, 0)
    }
  }

  /// Tells that an item was set. Returns it; `nil`: it was no longer due.
  mutating func succeeded(_ number: Int) -> Item? {
    guard let index = items.firstIndex(where: { $0.number == number }) else { return nil }
    return items.remove(at: index)
  }

  /// Tells that an item was not set. Returns a refusal that somebody has to be told of; `nil`: there is none.
  package mutating func failed(_ number: Int, _ obstacle: Obstacle) -> Refusal? {
    guard let index = items.firstIndex(where: { $0.number == number }) else { return nil }
    guard case .refusal(let framesCome) = obstacle else {
      items[index].framesToWait = 1
      return nil
    }
    items[index].refusals += 1
    let item = items[index]
    let singles = item.change.singles
    if singles.count > 1, !item.isSingle {
      items.remove(at: index)
      for single in singles {
        append(single, refusals: item.refusals, framesToWait: 0)
        items[items.count - 1].isSingle = true
      }
      return nil
    }
    if item.refusals >= Self.mostTries {
      items.remove(at: index)
      if item.change == item.change.modes { item.change.groups.forEach { setAlone($0) } }
      return Refusal(change: item.change, isFinal: true)
    }
    items[index].framesToWait = 1 << (item.refusals - 1)
    guard !framesCome, !item.isTold else { return nil }
    items[index].isTold = true
    return Refusal(change: item.change, isFinal: false)
  }
}
