import CaptureControls
import CaptureModel
import CaptureSystem

/// The zoom of a camera without a zoom control: the driver magnifies the middle of the sensor, or else the node magnifies the middle of each frame.
/// It also has the ramp of a camera with or without such a control.
final class Zoom {
  private let context: DeviceContext
  private let controls: CameraControls
  /// The factor for a camera without a zoom control.
  private(set) var factor: Double
  /// The factor that was set last. The driver may stay with another one.
  private var wantedFactor: Double
  /// The factor that the driver is being given; `nil`: none.
  private var nextFactor: Double?
  /// Whether the camera was to get the wanted factor and has not got it. Then the driver's present factor does not replace the wanted one.
  private var isFactorOwed = false
  /// The sensor's crop according to the driver; `nil`: it was not asked, or has none.
  private var crop: SensorCrop?
  private var isCropAsked = false
  /// Why the driver's crop is not used.
  private(set) var cropRefusal: String?
  private(set) var ramp: RunningRamp?
  /// The steps of ramps that wait for their first frame.
  private var waitingSteps: [UInt64] = []

  /// A ramp, and the task that moves it.
  struct RunningRamp {
    var ramp: ZoomRamp
    /// The number of the change that asked for it.
    var change: UInt64
    var task: Task<Void, Never>?
  }

  /// How many steps of ramps may wait for their first frame at once. While frames come, fewer steps wait, however large the delays of the controls
  /// are.
  static let mostWaitingSteps = 64
  static let factors = SettingsDescription.ValueRange(minimum: 1, maximum: 8, defaultValue: 1)
  /// How far the driver's factor may be from the wanted one, as a fraction of it: pixels and alignment make a driver inexact.
  fileprivate static let cropTolerance = 0.05

  init(_ context: DeviceContext, _ controls: CameraControls) {
    (self.context, self.controls) = (context, controls)
    factor = context.saved.memory.zoom ?? 1
    wantedFactor = factor
  }

  /// Tells that a camera appeared, which may be another one.
  func cameraAppeared() {
    (crop, isCropAsked, cropRefusal) = (nil, false, nil)
    factor = wantedFactor
  }

  /// What magnifies where the camera has no zoom control; `nil`: the camera has one, or nothing can magnify.
  func kind(_ known: KnownControls) -> ZoomKind? {
    guard !known.map.has(.zoomFactor) else { return nil }
    if crop != nil, cropRefusal == nil { return .sensorCrop }
    return context.camera.isCuttable ? .digital : nil
  }

  func report(into settings: inout CameraSettings, _ known: KnownControls) {
    if let kind = kind(known) {
      settings.zoom = CameraSettings.Zoom(factor: Observed(factor, .reported), kind: kind)
    }
    settings.zoom?.isRamping = ramp != nil
  }

  func describe(into description: inout SettingsDescription, _ known: KnownControls) {
    guard let kind = kind(known) else { return }
    description.zoom = SettingsDescription.Zoom(
      maximum: Self.factors.maximum, kind: kind, reason: cropRefusal)
  }

  /// Takes the zoom out of a change if the camera has no control for it. Returns the factor; `nil`: there is none.
  func plan(
    _ change: inout SettingsChange, _ known: KnownControls, _ clamping: inout Clamping
  ) throws(CaptureError) -> Double? {
    guard let zoom = change.zoom, kind(known) != nil else { return nil }
    change.zoom = nil
    return try clamping.clamp(zoom.factor, in: Self.factors, .zoomFactor, by: context.camera.name)
  }

  /// Sets the zoom: the driver's, or else the node's. The node's zoom begins with the first frame whose exposure begins later, as if the camera did
  /// it.
  func set(_ factor: Double, on camera: any Camera)
    async throws(CaptureError) -> FrameTimeline.Part
  {
    nextFactor = factor
    defer { nextFactor = nil }
    let part = try await crop(to: factor, on: camera)
    (wantedFactor, isFactorOwed) = (factor, false)
    if let part { return part }
    self.factor = factor
    return .fromNowOn(.zoomFactor, factor)
  }

  /// Sets the zoom that the camera gets when it returns or its next stream begins, since it is gone, does not answer, or has refused it.
  func setForReturn(_ factor: Double) {
    (wantedFactor, isFactorOwed) = (factor, true)
    // A camera that is there reports its own factor.
    if context.camera.present == nil { self.factor = factor }
  }

  // MARK: The sensor's crop

  /// Asks a camera without a zoom control for its crop, once, and restores the zoom that it had.
  func askForCrop(of camera: any Camera) async {
    guard !isCropAsked else { return }
    isCropAsked = true
    guard let crop = try? await camera.crop(), context.camera.isPresent(camera) else { return }
    self.crop = crop
    if context.saved.memory.zoom == nil, !isFactorOwed { (factor, wantedFactor) = (crop.factor, crop.factor) }
    await restoreCrop(of: camera)
  }

  /// Sets the crop again, since drivers may choose another part of the sensor with a stream's format. Returns whether the crop had stayed as it was.
  @discardableResult
  func restoreCrop(of camera: any Camera) async -> Bool {
    guard crop != nil, cropRefusal == nil, let now = try? await camera.crop() else { return true }
    // If a change is under way, its factor is the wanted one: the caller need not hold the gate `settings`.
    let wanted = nextFactor ?? wantedFactor
    crop = now
    guard abs(now.factor - wanted) > Self.cropTolerance * wanted else {
      (factor, isFactorOwed) = (now.factor, false)
      return true
    }
    do throws(CaptureError) {
      if try await crop(to: wanted, on: camera) == nil { factor = wantedFactor }
      isFactorOwed = false
    } catch {
      // The camera has another factor than the wanted one. The settings are read, so that frames have that factor too.
      context.tasks.start { _ = try? await $0.settings.read() }
    }
    return false
  }

  /// Has the driver crop the sensor; `nil`: the driver cannot, and the node crops from then on (``cropRefusal`` says why). Throws
  /// `failedPrecondition` if the driver keeps another part of the sensor than the wanted one.
  private func crop(to factor: Double, on camera: any Camera)
    async throws(CaptureError) -> FrameTimeline.Part?
  {
    guard let present = crop, cropRefusal == nil else { return nil }
    let area = present.area(magnifying: factor)
    do throws(CaptureError) {
      let (crop, moment) = try await camera.setCrop(area, pacing: context.timeline.pacing)
      note(crop)
      return FrameTimeline.Part(
        setting: .zoomFactor, value: Observed(crop.factor, .reported), moment: moment,
        delay: controls.delays[.sensorCrop])
    } catch {
      guard error.code == .failedPrecondition else { throw error }
      let now = (try? await camera.crop()) ?? present
      // The driver has refused an area of the size that it has already, so the zoom counts as set.
      if now == present, now.area.size == area.size {
        note(now)
        return FrameTimeline.Part.fromNowOn(.zoomFactor, now.factor)
      }
      try await useWholeSensor(insteadOf: now, of: camera, after: error)
      cropRefusal = error.message
      context.timeline.noteDigitalZoom()
      return nil
    }
  }

  /// Ends the driver's crop. Throws `failedPrecondition` if the driver keeps it: the node would magnify once more what the driver magnifies. The
  /// driver may accept another crop once it does not stream any more.
  private func useWholeSensor(
    insteadOf present: SensorCrop, of camera: any Camera, after refusal: CaptureError
  ) async throws(CaptureError) {
    var now = present
    if now.isZoomed {
      do throws(CaptureError) {
        now = try await camera.setCrop(now.whole, pacing: nil).crop
      } catch {
        guard error.code == .failedPrecondition else { throw error }
      }
    }
    note(now)
    guard now.isZoomed else { return }
    let advice = context.stream.active == nil ? "" : "; end the streams of the camera first"
    throw CaptureError(
      .failedPrecondition,
      "the zoom of \(context.camera.name) stays at \(now.factor.shortText): \(refusal.message)\(advice)",
      .init(.cameraBusy, field: CaptureError.field(of: .zoomFactor)))
  }

  private func note(_ crop: SensorCrop) { (self.crop, factor) = (crop, crop.factor) }
}

extension SensorCrop {
  /// Whether the crop magnifies. A factor slightly above 1 may be the inexactness of a driver that uses the whole sensor.
  fileprivate var isZoomed: Bool { factor > 1 + Zoom.cropTolerance }
}

// MARK: Ramps

extension Zoom {
  /// Returns the ramp that a change begins; `nil`: none. The zoom that is left in `change` is set at once.
  ///
  /// Any new change of the zoom ends a ramp; a factor of 0 does nothing else.
  func planRamp(_ change: inout SettingsChange, _ known: KnownControls, _ clamping: inout Clamping)
    throws(CaptureError) -> ZoomRamp?
  {
    guard let zoom = change.zoom else { return nil }
    let isOwn = kind(known) != nil
    let present = isOwn ? factor : known.map.settings(known.numbers).zoom?.factor.value
    if zoom.factor == 0 {
      // The zoom stops where it is.
      change.zoom = present.map { SettingsChange.Zoom(factor: $0) }
      return nil
    }
    let most = isOwn ? Self.factors.maximum : known.description.zoom?.maximum
    guard let rate = zoom.rate, let present, let most else {
      change.zoom?.rate = nil
      return nil
    }
    let rates = ZoomRamp.rates
    guard rates.minimum <= rate && rate <= rates.maximum || clamping.isAsked && rate > 0 && rate.isFinite
    else {
      throw CaptureError(
        .invalidArgument,
        "zoom cannot go on at \(rate) doublings a second: \(context.camera.name) takes \(rates.minimum) to "
          + "\(Int(rates.maximum))",
        .init(
          .valueOutOfRange, field: "change.zoom.rate", asked: .number(rate),
          range: .init(rates.minimum, rates.maximum)))
    }
    let factors = SettingsDescription.ValueRange(minimum: 1, maximum: most, defaultValue: 1)
    let target = try clamping.clamp(zoom.factor, in: factors, .zoomFactor, by: context.camera.name)
    let taken = min(max(rate, rates.minimum), rates.maximum)
    if taken != rate { clamping.note("zoom.rate", asked: rate, set: taken) }
    let ramp = ZoomRamp(from: present, to: target, rate: taken, start: MonotonicClock.now())
    change.zoom = SettingsChange.Zoom(factor: present)
    return ramp
  }

  /// Whether that ramp is on its way.
  func isOnItsWay(_ ramp: ZoomRamp) -> Bool { self.ramp?.ramp == ramp }

  /// Begins a ramp, which then moves by itself. `change`: the change that is complete when the ramp arrives.
  func begin(_ ramp: ZoomRamp, as change: UInt64) {
    self.ramp = RunningRamp(
      ramp: ramp, change: change, task: context.tasks.start { await $0.settings.run(ramp) })
  }

  /// Stops the zoom where it is. Returns the ramp that this ends.
  func endRamp() -> RunningRamp? {
    guard let former = ramp.take() else { return nil }
    former.task?.cancel()
    return former
  }

  /// Whether a ramp may take a step. It may not if too many steps before it wait for frames that show them.
  func mayStep() -> Bool {
    waitingSteps = context.timeline.waiting(among: waitingSteps)
    return waitingSteps.count < Self.mostWaitingSteps
  }

  /// Notes the change that a step of a ramp has made.
  func noteStep(_ change: UInt64) { waitingSteps.append(change) }

  /// Tells that the ramp has arrived.
  func rampArrived() { ramp = nil }
}
