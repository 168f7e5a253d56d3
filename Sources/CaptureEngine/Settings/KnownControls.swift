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

/// Of a camera's settings what its controller keeps between calls.
struct SettingsState {
  /// `nil`: to be read from the camera.
  var known: KnownControls?
  var asked = SettingsMap.Asked()
  /// The latest change; each has a number of its own.
  var lastChange: UInt64 = 0
  /// Of changes whose frame is not known yet: what watchers will be told.
  var keys: [UInt64: Set<SettingsKey>] = [:]
  var watches: [SettingsWatch] = []
  /// `nil` until a camera was seen.
  var delays: ControlDelays?
  /// Somebody waits for the end of the driver's search for focus.
  var isFollowingSearch = false
  /// Controls that the camera or another program has changed, and when: to be read.
  var events: [ControlID: UInt64] = [:]
  /// What was found of the camera and is news; watchers will be told of each from which frame it holds.
  var found: [UInt64: Set<SettingsKey>] = [:]
  var lastFinding: UInt64 = 0
  /// Groups of settings that the camera's own modes moved between the latest two readings.
  var adjusting: Set<Substring> = []
  /// Until then nothing is read that nobody asked for.
  var quietUntil: UInt64 = 0
  /// Of what clients set: the change that set it last.
  var authors: [SettingsKey: UInt64] = [:]
  /// As watchers know them.
  var told: CameraSettings?
  /// What works from pictures.
  var software: (any SoftwareControl)? { didSet { abilities = nil } }
  /// What that can do, as it said last.
  var abilities: DeviceController.KnownAbilities?
  var lamp: DeviceController.Lamp?
  /// What the least and the most gain are as ISO, where the configuration says so.
  var gainISO: ClosedRange<Double>?
  var ramp: DeviceController.RunningRamp?
  /// With which photos the flash fires.
  var flashMode = LightMode.off
  /// While a torch is lit for a photo: what puts it out, unless a client has switched it since.
  var photoLight: SettingsChange?
  /// Of cameras without a control for it: the factor.
  var ownZoom = 1.0
  /// What the driver says of the sensor's crop; `nil`: not asked, or it has none.
  var crop: SensorCrop?
  var isCropAsked = false
  /// Why the driver's crop is not used.
  var cropRefusal: String?
  /// Of all streams.
  var frameDuration: SettingsChange.FrameDuration?
  /// The latest that no stream failed to start with.
  var keptFrameDuration: SettingsChange.FrameDuration?
}
