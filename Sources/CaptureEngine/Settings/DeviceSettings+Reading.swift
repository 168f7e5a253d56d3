import CaptureControls
import CaptureModel

extension DeviceSettings {
  /// Describes what the camera can do. This corresponds to `AVCaptureDevice`'s ranges and `is…Supported`.
  public func describe() async throws(CaptureError) -> SettingsDescription {
    let known = try await self.known(of: try context.camera.required())
    var description = known.description
    if let lamp = lights.torchLamp(beside: known) { description.torch = lamp.description }
    description.add(abilities(known))
    description.flash = description.photoFlash
    let formats = try await context.camera.formats()
    zoom.describe(into: &description, known)
    description.controls += partsBesideControls(known).map(\.use)
    description.frameDuration =
      context.stream.active?.frameDuration(of: formats) ?? formats.frameIntervals.map { .init($0) }
    if context.stream.active != nil { context.onlookers.describe(into: &description) }
    return description
  }

  /// Reads the settings from the driver. Calls that wait at the same time share one reading.
  public func read() async throws(CaptureError) -> CameraSettings {
    try await clientReadings.settings.value { () throws(CaptureError) in
      let camera = try context.camera.required()
      // Nothing is learnt while somebody else changes settings: half of that change would be taken for the camera's own doing.
      let isAlone = context.gates.settings.tryEnter()
      defer { if isAlone { context.gates.settings.leave() } }
      let known = try await readControls(of: camera)
      return isAlone ? learn(known, of: camera) : reported(known)
    }
  }

  /// Returns what is known of the controls, with the present values of those that settings use.
  func readControls(of camera: any Camera) async throws(CaptureError) -> KnownControls {
    var known = try await self.known(of: camera)
    try await controls.readAll(into: &known, from: camera)
    return known
  }

  /// Forgets what is known of the controls, and reads all of them again.
  func readAgain(of camera: any Camera) async {
    controls.forget()
    _ = try? await known(of: camera)
  }

  /// Reads the values that the camera's own modes move, if somebody takes frames, or watches settings while a stream runs.
  func readMovingValues() { observed.readMovingValues() }

  /// Reads the controls for a stream that begins, so that the settings of its first frames are known. Waits 250 ms at most.
  func prepare(of camera: any Camera) async {
    guard controls.known?.holds(for: context.stream.frameWidth) != true else { return }
    await context.tasks.wait(atMost: .milliseconds(250)) { _ = try? await $0.settings.known(of: camera) }
  }

  /// Tells that the format of the camera's frames has changed. If controls were known that depend on the format, all are read again.
  func formatChanged(of camera: any Camera) async {
    if controls.known != nil { await prepare(of: camera) }
  }

  /// Begins a watch. It delivers the present settings, then every change of one of `names`, until its owner lets it go. Names are those of settings
  /// ("exposure.duration"), of groups ("exposure") or of controls; without names it watches all. Throws `notFound` for a name that nothing has, and
  /// `resourceExhausted` if too many clients watch.
  public func watch(_ names: [String]) async throws(CaptureError) -> SettingsWatch {
    try watchers.requireRoom(of: context.camera.name)
    let known = try await self.known(of: try context.camera.required())
    let table = ControlTable(camera: context.camera.name, known.list)
    var wanted: Set<SettingsKey> = []
    for name in Set(names) {
      let settings = Setting.named(name)
      wanted.formUnion(settings.map { .setting($0) })
      if settings.isEmpty {
        let control = try table.find(name)
        wanted.insert(known.map.setting(of: control.id).map { .setting($0) } ?? .control(control.id))
      }
    }
    // Others may have begun to watch while the controls were read, so the bound is checked again.
    try watchers.requireRoom(of: context.camera.name)
    let watchedOffset = watchers.watchesOffset
    let watch = watchers.add(wanted) { [tasks = context.tasks] in
      tasks.enqueue { $0.settings.measureOffsetForWatches() }
    }
    if watchers.watchesOffset != watchedOffset { measureOffsetForWatches() }
    observed.readMovingValues()
    return watch
  }

  /// Ends all watches with this error.
  func endWatches(_ error: CaptureError) { watchers.end(error) }
}

// MARK: Controls by name

/// A control, and the value that the driver reports.
public struct ControlReading: Hashable, Sendable {
  public let control: ControlDescription
  public let value: ControlValue
}

extension DeviceSettings {
  /// Returns every control with its current value; `nil`: the control cannot be read. Throws if there are several, and none can be read. Calls that
  /// wait for the reading share it.
  public func allControls() async throws(CaptureError)
    -> [(control: ControlDescription, value: ControlValue?)]
  {
    try await clientReadings.controls.value { () throws(CaptureError) in
      let camera = try context.camera.required()
      let list = try await controls.reader.list(of: camera)
      controls.relist(list)
      let ids = list.filter(\.isReadable).map(\.id)
      let values = try await controls.reader.values(
        of: ids, from: camera, requiring: ids.count > 1 ? .one : .nothing)
      return list.map { ($0, values[$0.id]) }
    }
  }

  /// Returns current values in the order of the names; a control that is named twice comes once. Throws `notFound` for a name that no control has,
  /// `failedPrecondition` for a control without a value, and the driver's error for one that cannot be read: whoever names a control wants its value.
  public func readings(of names: [String]) async throws(CaptureError)
    -> [ControlReading]
  {
    let camera = try context.camera.required()
    let table = ControlTable(camera: context.camera.name, try await controls.reader.list(of: camera))
    var found: [ControlDescription] = []
    var ids: Set<ControlID> = []
    for control in try table.find(all: names) where ids.insert(control.id).inserted {
      try control.requireReadable()
      found.append(control)
    }
    let values = try await camera.values(of: found.map(\.id))
    return zip(found, values).map { ControlReading(control: $0, value: $1) }
  }

  /// Returns current values of controls, without those that cannot be read. Calls that wait for a reading share one, whichever controls they ask for.
  public func readings(of ids: [ControlID]) async throws(CaptureError)
    -> [ControlReading]
  {
    guard !ids.isEmpty else { return [] }
    let known = try await self.known(of: try context.camera.required())
    let controls = ids.compactMap { known[$0] }.filter(\.isReadable)
    guard !controls.isEmpty else { return [] }
    let values = try await clientReadings.values(of: controls.map(\.id))
    return controls.compactMap { control in
      values[control.id].map { ControlReading(control: control, value: $0) }
    }
  }
}
