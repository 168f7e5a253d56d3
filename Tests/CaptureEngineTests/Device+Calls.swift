import CaptureControls
import CaptureModel

@testable import CaptureEngine

/// What tests ask of a device's parts.
extension Device {
  var memory: CameraMemory { context.saved.memory }
  var gates: DeviceGates { context.gates }
  /// How many requests wait for former subscribers.
  var waitingForFormer: Int { context.stream.waitingCount }

  /// From now on a stream that begins waits so long for what clients had set.
  func waitForRestoration(_ patience: Duration) { settings.waitForRestoration(patience) }

  /// From now on former subscribers have this time to come back.
  func waitForFormer(_ patience: Duration) { context.stream.formerPatience = patience }

  /// As if this had been kept of the camera.
  func recall(_ memory: CameraMemory) { context.saved.update { $0 = memory } }

  // MARK: Settings

  /// As if so many changes waited for their first frame as there may. Frames leave them waiting.
  func fillWithWaitingChanges() {
    for number in 0..<NodeLimit.waitingChangesPerCamera.usual {
      context.timeline.begin(1_000_000 + UInt64(number), [])
    }
  }

  func set(_ change: SettingsChange, controls: [NamedAssignment] = [], clamping: Bool = false)
    async throws(CaptureError) -> SettingsOutcome
  {
    try await settings.set(change, controls: controls, clamping: clamping)
  }

  func set(_ assignments: [NamedAssignment], clamping: Bool) async throws(CaptureError) -> SettingsOutcome {
    try await settings.set(assignments, clamping: clamping)
  }

  func applyAutomation(_ due: @Sendable () -> SettingsChange) async throws(CaptureError) -> SettingsOutcome? {
    try await settings.applyAutomation(due)
  }

  func resetSettings() async throws(CaptureError) -> SettingsOutcome { try await settings.reset() }
  func settings() async throws(CaptureError) -> CameraSettings { try await settings.read() }
  func knownSettings() -> CameraSettings? { settings.latest() }
  func settingsDescription() async throws(CaptureError) -> SettingsDescription {
    try await settings.describe()
  }
  func formatsWithAbilities() async throws(CaptureError) -> [(
    format: FormatDescription, abilities: FormatAbilities
  )] {
    try await settings.formats()
  }
  func watchSettings(_ names: [String]) async throws(CaptureError) -> SettingsWatch {
    try await settings.watch(names)
  }

  func controls() async throws(CaptureError) -> [(control: ControlDescription, value: ControlValue?)] {
    try await settings.allControls()
  }
  func readings(of names: [String]) async throws(CaptureError) -> [ControlReading] {
    try await settings.readings(of: names)
  }

  var lastChange: UInt64 { settings.lastChange }
  func awaitChange(_ change: UInt64) async throws(CaptureError) -> FrameTimeline.Applied {
    try await settings.awaitChange(change)
  }

  var delays: ControlDelays { settings.controls.delays }
  func setDelay(_ measured: MeasuredDelay?, of control: ControlID) {
    settings.controls.setDelay(measured, of: control)
  }
  func setGainISO(_ range: ClosedRange<Double>?) { settings.controls.setGainISO(range) }

  func attach(_ software: SoftwareThreeA?) { settings.attach(software) }
  func installLamp(_ light: (any LightSource)?) { settings.installLamp(light) }
  func switchTorchOff() async throws(CaptureError) { try await settings.switchTorchOff() }

  // MARK: Photos, calibration and profiles

  func capturePhoto(
    _ request: VideoRequest, requested: UInt64, progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Picture {
    try await photos.capture(PhotoRequest(request), on: self, requested: requested, progress: progress)
      .picture
  }

  func calibrate(
    _ names: [String] = [], holder: String = "a calibration",
    progress: @Sendable (CalibrationProgress) -> Void = { _ in }
  ) async throws(CaptureError) {
    try await calibration.calibrate(names, on: self, holder: holder, progress: progress)
  }

  func calibrate(
    _ names: [String], through sink: FrameMeasurer, progress: @Sendable (CalibrationProgress) -> Void
  ) async throws(CaptureError) {
    try await calibration.calibrate(names, on: self, through: sink, progress: progress)
  }

  func listInputs() async throws(CaptureError) -> [CameraInput] { try await inputs.list() }
  func selectInput(_ reference: String) async throws(CaptureError) -> [CameraInput] {
    try await inputs.select(reference, on: self)
  }

  func saveProfile(_ name: String, replaces: Bool) async throws(CaptureError) -> SavedProfile {
    try await profiles.save(name, replaces: replaces)
  }
  func loadProfile(_ name: String) async throws(CaptureError) -> SettingsOutcome {
    try await profiles.load(name)
  }
  func deleteProfile(_ name: String) async throws(CaptureError) { try await profiles.delete(name) }
  func profiles() -> [SavedProfile] { profiles.list() }
}

extension Session {
  /// Takes a photo with a photo output.
  nonisolated func capturePhoto(
    _ request: PhotoRequest, output: String, requested: UInt64,
    progress: @escaping @Sendable (PhotoProgress) -> Void
  ) async throws -> Photo {
    let input = try await photoInput(output: output)
    return try await input.device.run {
      try await $0.photos.capture(request, of: input, on: $0, requested: requested, progress: progress)
    }
  }
}

extension CaptureEngine {
  /// From now on a shutdown waits so long for what has to be set back.
  func waitAtEnd(_ patience: Duration) { endPatience = patience }

  /// Sets up one camera.
  func setUp(_ camera: CameraID, _ change: @escaping @Sendable (inout CameraSetup) -> Void) {
    setUp { id in
      var setup = CameraSetup()
      if id == camera { change(&setup) }
      return setup
    }
  }
}
