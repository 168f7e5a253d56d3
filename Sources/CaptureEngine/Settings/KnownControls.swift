import CaptureControls
import CaptureModel

/// A camera's controls as they were last listed and read. To list them takes dozens of calls, on some cameras seconds.
struct KnownControls {
  /// The values of the controls that settings use, and of others that were read or set. A control that cannot be read has the value that was set
  /// last, and none if what is known of it was read earlier: that may have changed.
  private(set) var numbers: SettingsMap.Numbers = [:]
  /// Those of ``numbers`` that were set and have not been read since.
  private var unread: SettingsMap.Numbers = [:]
  /// The latest frame's timestamp when the controls that move by themselves were last read; `nil`: there was no frame.
  var latestTime: UInt64?
  private var table: Table
  /// The width of the stream's frames in pixels; `nil`: there was no stream.
  private let width: Int?
  private let lineTime: Double?
  private let gainISO: ClosedRange<Double>?

  /// What follows from the driver's descriptions and the delays. It is derived anew only when one of these changes, since that takes longer than
  /// setting a control.
  private final class Table: Sendable {
    let list: [ControlDescription]
    let map: SettingsMap
    let delays: ControlDelays
    let description: SettingsDescription
    /// Each control's place in `list`.
    let places: ControlKeyed<Int>

    init(_ list: [ControlDescription], _ map: SettingsMap, _ delays: ControlDelays) {
      self.list = list
      self.map = map
      self.delays = delays
      description = map.description(delays: delays)
      var places = ControlKeyed<Int>()
      for (place, control) in list.enumerated() where places[control.id] == nil { places[control.id] = place }
      self.places = places
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

  /// The descriptions in the driver's order.
  var list: [ControlDescription] { table.list }
  var map: SettingsMap { table.map }
  /// The settings that the driver has.
  var description: SettingsDescription { table.description }
  /// An object that is replaced as soon as the driver's descriptions or the delays change. Compare it by `===`.
  var identity: any AnyObject & Sendable { table }

  /// Takes in the driver's new descriptions. A control that is not among them has no value any more.
  mutating func relist(_ list: [ControlDescription]) {
    guard list != table.list else { return }
    let former = table.list
    table = Table(list, SettingsMap(list, lineTime: lineTime, gainISO: gainISO), table.delays)
    for control in former where table.places[control.id] == nil {
      (numbers[control.id], unread[control.id]) = (nil, nil)
    }
  }

  /// Takes in new delays.
  mutating func apply(_ delays: ControlDelays) { table = Table(list, map, delays) }

  /// Takes in a control's new value and flags, which an event reported.
  mutating func note(_ change: ControlChange) {
    if let number = change.value?.number { (numbers[change.id], unread[change.id]) = (number, nil) }
    guard let place = table.places[change.id], list[place].flags != change.flags else { return }
    var list = list
    list[place].flags = change.flags
    relist(list)
  }

  /// Takes in the number that a control was set to.
  mutating func noteSet(_ id: ControlID, _ number: Int64) {
    (numbers[id], unread[id]) = (number, number)
  }

  /// Takes in a control's value as it was read; `nil`: it could not be read.
  mutating func noteRead(_ id: ControlID, _ value: ControlValue?) {
    if let value { (numbers[id], unread[id]) = (value.number, nil) } else { numbers[id] = unread[id] }
  }

  /// The settings that the controls show. `asked`: what they do not show.
  func settings(asked: SettingsMap.Asked) -> CameraSettings {
    map.settings(numbers, unread: unread, asked: asked)
  }

  /// Whether this is valid for frames of this width: an exposure that is counted in lines depends on the width.
  func holds(for width: Int?) -> Bool { self.width == width || self[.exposureLines] == nil }

  subscript(id: ControlID) -> ControlDescription? { table.places[id].map { table.list[$0] } }

  /// Returns the controls that have the values of these settings.
  func controls(of settings: Set<Setting>) -> [ControlDescription] {
    settings.isEmpty ? [] : list.filter { map.setting(of: $0.id).map(settings.contains) == true }
  }
}
