import CaptureControls
import CaptureModel
import CaptureSystem

/// What is known of the camera's controls without asking it, and how late each shows.
final class CameraControls {
  private let context: DeviceContext
  /// `nil`: to be read from the camera.
  private(set) var known: KnownControls?
  /// `nil` until a camera was seen.
  private var latestDelays: ControlDelays?
  /// What the least and the most gain are as ISO, where the configuration says so.
  private var gainISO: ClosedRange<Double>?

  init(_ context: DeviceContext) { self.context = context }

  func cameraAppeared(_ camera: any Camera) {
    known = nil
    var delays = ControlDelays(driver: camera.description.driver)
    for (control, measured) in context.kept.memory.delays { delays.set(measured.frames, for: control) }
    delays.recall(latestDelays)
    latestDelays = delays
  }

  /// They are to be read again.
  func forget() { known = nil }

  func learn(_ known: KnownControls) { self.known = known }

  /// The driver described them again.
  func relist(_ list: [ControlDescription]) { known?.relist(list) }

  /// An event said so.
  func note(_ change: ControlChange) { known?.note(change) }

  /// Those of the camera, where they hold for the stream's frames.
  func known(of camera: any Camera) -> KnownControls? {
    guard let known, context.camera.isPresent(camera), known.holds(for: context.stream.frameWidth) else {
      return nil
    }
    return known
  }

  /// Asks the camera for all of them.
  func load(from camera: any Camera) async throws(CaptureError) -> KnownControls {
    let list = try await camera.controls()
    let lineControls = SettingsMap.lineControls.filter { id in list.contains { $0.id == id && $0.isReadable }
    }
    var lineTime: Double?
    let width = context.stream.frameWidth
    if lineControls.count == 2, let width {
      let values = try await camera.values(of: lineControls)
      lineTime = SettingsMap.lineTime(
        values: Dictionary(uniqueKeysWithValues: zip(lineControls, values)), width: width)
    }
    var known = KnownControls(list, delays: delays, width: width, lineTime: lineTime, gainISO: gainISO)
    try await read(known.map.ids, into: &known, from: camera)
    return known
  }

  /// Reads controls' numbers. Returns all values, also those that are none.
  @discardableResult
  func read(
    _ ids: [ControlID], into known: inout KnownControls, from camera: any Camera
  ) async throws(CaptureError) -> ControlKeyed<ControlValue> {
    guard !ids.isEmpty else { return [:] }
    let asked = context.timeline.latestTime
    let values = try await camera.values(of: ids)
    if known.map.movingIDs.allSatisfy(ids.contains) { known.asked = asked }
    for (id, value) in zip(ids, values) { known.numbers[id] = value.number }
    return ControlKeyed(uniqueKeysWithValues: zip(ids, values))
  }

  // MARK: Delays

  /// Frames between a change of a control and the first frame that has it. Set by calibration.
  var delays: ControlDelays {
    latestDelays ?? ControlDelays(driver: context.camera.present?.description.driver ?? "")
  }

  /// As ``delays``, and kept; `nil` forgets it.
  func setDelay(_ measured: MeasuredDelay?, of control: ControlID) {
    changeDelays { $0.set(measured?.frames, for: control) }
    context.kept.update { $0.delays[control] = measured }
  }

  /// As ``delays``, as long as the node runs: frames after which pictures showed what the node set of `setting`.
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
    known?.take(delays)
  }

  /// What the least and the most gain of a camera without an ISO control are as ISO; linear between. The least is more than 0.
  func setGainISO(_ range: ClosedRange<Double>?) {
    gainISO = range
    known = nil
  }
}
