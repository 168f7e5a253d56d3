import CaptureModel

/// What is known of a camera's controls without asking it: listing them takes dozens of calls, on some cameras seconds.
struct KnownControls {
  /// In the driver's order.
  private(set) var list: [ControlDescription]
  private(set) var map: SettingsMap
  /// Of those that settings use, and any other that was read or set.
  var numbers: SettingsMap.Numbers = [:]
  /// Pixels of a row of the stream's frames; `nil`: there was no stream.
  private let width: Int?
  private let lineTime: Double?

  init(_ list: [ControlDescription], width: Int?, lineTime: Double?) {
    self.list = list
    self.width = width
    self.lineTime = lineTime
    map = SettingsMap(list, lineTime: lineTime)
  }

  /// The driver described them again.
  mutating func relist(_ list: [ControlDescription]) {
    self.list = list
    map = SettingsMap(list, lineTime: lineTime)
  }

  /// An event said so.
  mutating func note(_ change: ControlChange) {
    if let number = change.value?.number { numbers[change.id] = number }
    guard let index = list.firstIndex(where: { $0.id == change.id }), list[index].flags != change.flags else {
      return
    }
    list[index].flags = change.flags
    map = SettingsMap(list, lineTime: lineTime)
  }

  /// Whether this holds for frames so wide: an exposure in lines depends on it.
  func holds(for width: Int?) -> Bool { self.width == width || self[.exposureLines] == nil }

  subscript(id: ControlID) -> ControlDescription? { list.first { $0.id == id } }

  /// Those that these settings' values are.
  func controls(of settings: Set<Setting>) -> [ControlDescription] {
    list.filter { map.setting(of: $0.id).map(settings.contains) == true }
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
  var isRefreshDue = false
  /// As watchers know them.
  var told: CameraSettings?
  /// What works from pictures.
  var software: (any SoftwareControl)?
  var lamp: DeviceController.Lamp?
  var ramp: DeviceController.RunningRamp?
  /// Of cameras without a zoom of their own.
  var digitalZoom = 1.0
  /// Of all streams.
  var frameDuration: SettingsChange.FrameDuration?
}
