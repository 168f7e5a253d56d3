import CaptureControls
import CaptureModel
import CaptureSystem

/// Keeps what is known of a camera's controls, so that the camera need not be asked, and how many frames late each control takes effect.
final class CameraControls {
  private let context: DeviceContext
  let reader: ControlReader
  /// The controls as they were last read; `nil`: they have to be read from the camera.
  private(set) var known: KnownControls?
  /// A reading of all controls of the present camera, which all who wait for it share. It is replaced when a camera appears.
  private(set) var loading = SharedReading<KnownControls>()
  /// Whether the camera is being asked for all its controls.
  var isLoading: Bool { loading.isUnderWay }
  /// How often the controls were forgotten. If this changes during a reading, the values that it has read may be out of date.
  private(set) var timesForgotten = 0
  /// The controls' delays; `nil` until a camera has appeared.
  private var latestDelays: ControlDelays?
  /// The ISO of the least and the most gain, where the configuration gives it.
  private var gainISO: ClosedRange<Double>?

  init(_ context: DeviceContext) {
    self.context = context
    reader = ControlReader(context)
  }

  func cameraAppeared(_ camera: any Camera) {
    known = nil
    loading = SharedReading()
    reader.cameraAppeared()
    var delays = ControlDelays(driver: camera.description.driver)
    for (control, measured) in context.saved.memory.delays { delays.set(measured.frames, for: control) }
    delays.recall(latestDelays)
    latestDelays = delays
  }

  /// Forgets the controls: they have to be read again. A reading that is under way counts as out of date.
  func forget() {
    known = nil
    timesForgotten += 1
  }

  func learn(_ known: KnownControls) { self.known = known }

  /// Takes in the driver's new descriptions.
  func relist(_ list: [ControlDescription]) { known?.relist(list) }

  /// Takes in a control's new value and flags, which an event reported.
  func note(_ change: ControlChange) { known?.note(change) }

  /// The controls of this camera, if they are known and valid for the width of the stream's frames.
  func known(of camera: any Camera) -> KnownControls? {
    guard let known, context.camera.isPresent(camera), known.holds(for: context.stream.frameWidth) else {
      return nil
    }
    return known
  }

  /// Asks the camera for all its controls.
  func load(from camera: any Camera) async throws(CaptureError) -> KnownControls {
    let list = try await reader.list(of: camera)
    let lineControls = SettingsMap.lineControls.filter { id in list.contains { $0.id == id && $0.isReadable }
    }
    var lineTime: Double?
    let width = context.stream.frameWidth
    if lineControls.count == 2, let width {
      lineTime = SettingsMap.lineTime(
        values: try await reader.values(of: lineControls, from: camera), width: width)
    }
    var known = KnownControls(list, delays: delays, width: width, lineTime: lineTime, gainISO: gainISO)
    try await readAll(into: &known, from: camera)
    return known
  }

  /// Reads the controls that settings use. Throws if there are several, and none can be read.
  func readAll(into known: inout KnownControls, from camera: any Camera) async throws(CaptureError) {
    let ids = known.map.ids
    try await read(ids, into: &known, from: camera, requiring: ids.count > 1 ? .one : .nothing)
  }

  /// Reads controls, and notes those values that are numbers. Returns the values of those that can be read. Throws if fewer can be than are required.
  @discardableResult
  func read(
    _ ids: [ControlID], into known: inout KnownControls, from camera: any Camera,
    requiring required: ControlReader.Requirement = .nothing
  ) async throws(CaptureError) -> ControlKeyed<ControlValue> {
    guard !ids.isEmpty else { return [:] }
    let latestTime = context.timeline.latestTime
    let values = try await reader.values(of: ids, from: camera, requiring: required)
    if known.map.movingIDs.allSatisfy(ids.contains) { known.latestTime = latestTime }
    for id in ids { known.noteRead(id, values[id]) }
    return values
  }

  // MARK: Delays

  /// How many frames pass between a change of each control and the first frame that has it.
  var delays: ControlDelays {
    latestDelays ?? ControlDelays(driver: context.camera.present?.description.driver ?? "")
  }

  /// Sets a control's delay as calibration measured it, and keeps it over restarts; `nil` forgets it.
  func setDelay(_ measured: MeasuredDelay?, of control: ControlID) {
    changeDelays { $0.set(measured?.frames, for: control) }
    context.saved.update { $0.delays[control] = measured }
  }

  /// Notes how many frames passed until pictures showed a change of `setting` by the node. The node forgets this when it ends.
  func observeDelay(_ frames: Int, of setting: Setting) {
    guard let controls = known?.controls(of: [setting]), !controls.isEmpty else { return }
    changeDelays { delays in
      for control in controls { delays.observe(frames, of: control.id) }
    }
  }

  private func changeDelays(_ change: (inout ControlDelays) -> Void) {
    var delays = delays
    change(&delays)
    latestDelays = delays
    known?.apply(delays)
  }

  /// Sets the ISO of the least and of the most gain, for a camera without an ISO control. Between these two, the ISO is linear in the gain. The lower
  /// ISO is more than 0.
  func setGainISO(_ range: ClosedRange<Double>?) {
    gainISO = range
    forget()
  }
}
