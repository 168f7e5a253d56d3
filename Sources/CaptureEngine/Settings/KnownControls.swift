import CaptureControls
import CaptureModel

/// What is known of a camera's controls without asking it: listing them takes dozens of calls, on some cameras seconds.
struct KnownControls {
  /// Of those that settings use, and any other that was read or set.
  var numbers: SettingsMap.Numbers = [:]
  /// The latest frame's timestamp when those that move by themselves were read last; `nil`: there was none.
  var asked: UInt64?
  private var table: Table
  /// Pixels of a row of the stream's frames; `nil`: there was no stream.
  private let width: Int?
  private let lineTime: Double?
  private let gainISO: ClosedRange<Double>?

  /// What follows from the driver's descriptions and the delays. Made when one of them changes: it takes longer than setting a control.
  private final class Table: Sendable {
    let list: [ControlDescription]
    let map: SettingsMap
    let delays: ControlDelays
    let description: SettingsDescription
    /// In `list`.
    let places: ControlKeyed<Int>
    /// The driver has one.
    let hasTorch: Bool

    init(_ list: [ControlDescription], _ map: SettingsMap, _ delays: ControlDelays) {
      self.list = list
      self.map = map
      self.delays = delays
      description = map.description(delays: delays)
      var places = ControlKeyed<Int>()
      for (place, control) in list.enumerated() where places[control.id] == nil { places[control.id] = place }
      self.places = places
      hasTorch = description.torch != nil
    }
  }

  init(
    _ list: [ControlDescription], delays: ControlDelays, width: Int?, lineTime: Double?,
    gainISO: ClosedRange<Double>?
  ) {
    self.width = width
    self.lineTime = lineTime
    self.gainISO = gainISO
    table = Table(list, SettingsMap(list, lineTime: lineTime, gainISO: gainISO), delays)
  }

  /// In the driver's order.
  var list: [ControlDescription] { table.list }
  var map: SettingsMap { table.map }
  /// What the driver can do.
  var description: SettingsDescription { table.description }
  /// Of what the driver can do.
  var hasTorch: Bool { table.hasTorch }
  /// Another one where the driver described its controls otherwise.
  var identity: any AnyObject & Sendable { table }

  /// The driver described them again.
  mutating func relist(_ list: [ControlDescription]) {
    guard list != table.list else { return }
    table = Table(list, SettingsMap(list, lineTime: lineTime, gainISO: gainISO), table.delays)
  }

  /// Others hold.
  mutating func take(_ delays: ControlDelays) { table = Table(list, map, delays) }

  /// An event said so.
  mutating func note(_ change: ControlChange) {
    if let number = change.value?.number { numbers[change.id] = number }
    guard let place = table.places[change.id], list[place].flags != change.flags else { return }
    var list = list
    list[place].flags = change.flags
    relist(list)
  }

  /// Whether this holds for frames so wide: an exposure in lines depends on it.
  func holds(for width: Int?) -> Bool { self.width == width || self[.exposureLines] == nil }

  subscript(id: ControlID) -> ControlDescription? { table.places[id].map { table.list[$0] } }

  /// Those that these settings' values are.
  func controls(of settings: Set<Setting>) -> [ControlDescription] {
    settings.isEmpty ? [] : list.filter { map.setting(of: $0.id).map(settings.contains) == true }
  }
}
