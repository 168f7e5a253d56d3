import CaptureModel
import CaptureSystem

extension DeviceController {
  /// Begins a ramp, ends one, or neither: what is left of `change` is for the driver, at once.
  ///
  /// Any new change of the zoom ends a ramp; a factor of 0 does no more than that.
  func planZoom(_ change: inout SettingsChange, _ known: KnownControls, _ clamping: inout Clamping)
    throws(CaptureError) -> ZoomRamp?
  {
    guard let zoom = change.zoom else { return nil }
    let isOwn = ownZoomKind(known) != nil
    let present =
      isOwn ? settingsState.ownZoom : known.map.settings(known.numbers).zoom?.factor.value
    if zoom.factor == 0 {
      // Where it is.
      change.zoom = present.map { SettingsChange.Zoom(factor: $0) }
      return nil
    }
    let most =
      isOwn ? Self.ownZooms.maximum : known.description.zoom?.maximum
    guard let rate = zoom.rate, let present, let most else {
      change.zoom?.rate = nil
      return nil
    }
    let rates = ZoomRamp.rates
    guard rates.minimum <= rate && rate <= rates.maximum || clamping.isAsked && rate > 0 && rate.isFinite
    else {
      throw CaptureError(
        .invalidArgument,
        "zoom cannot go on at \(rate) doublings a second: \(name) takes \(rates.minimum) to "
          + "\(Int(rates.maximum))")
    }
    let factors = SettingsDescription.ValueRange(minimum: 1, maximum: most, defaultValue: 1)
    let target = try clamping.take(zoom.factor, in: factors, .zoomFactor, by: name)
    let taken = min(max(rate, rates.minimum), rates.maximum)
    if taken != rate { clamping.note("zoom.rate", asked: rate, set: taken) }
    let ramp = ZoomRamp(from: present, to: target, rate: taken, start: MonotonicClock.now())
    change.zoom = SettingsChange.Zoom(factor: present)
    return ramp
  }

  /// Moves on by itself from now on, for a change that holds when it has arrived. One that is on its way ends where it is.
  func begin(_ ramp: ZoomRamp?, as change: UInt64 = 0) {
    if let former = settingsState.ramp {
      endRamp(
        CaptureError(
          .aborted, "the zoom of \(name) never got to \(former.ramp.to): another change ended it on its way"))
    }
    guard let ramp else { return }
    settingsState.ramp = RunningRamp(
      ramp: ramp, change: change, task: Task { [weak self] in await self?.run(ramp) })
  }

  /// The zoom stays where it is; what else the ramp's change has set holds, and is told now.
  func endRamp(_ error: CaptureError) {
    guard let former = settingsState.ramp.take() else { return }
    former.task.cancel()
    timeline.interrupt(former.change, error)
    let keys = settingsState.keys.removeValue(forKey: former.change) ?? []
    tell(SettingsNews(keys: keys, change: 0, frame: nil, provenance: .reported))
  }

  /// A ramp, and what moves it.
  struct RunningRamp {
    var ramp: ZoomRamp
    /// Which it was asked for with.
    var change: UInt64
    var task: Task<Void, Never>
  }

  private static let shortestStep = Duration.milliseconds(8)

  private func run(_ ramp: ZoomRamp) async {
    let frame = Duration.nanoseconds((stream?.format.interval ?? .usual).nanoseconds)
    while !Task.isCancelled {
      try? await Task.sleep(for: max(frame, Self.shortestStep))
      guard !Task.isCancelled, settingsState.ramp?.ramp == ramp else { return }
      let now = MonotonicClock.now()
      let isOver = ramp.isOver(at: now)
      var step = SettingsChange()
      step.zoom = SettingsChange.Zoom(factor: ramp.factor(at: now))
      do throws(CaptureError) {
        try await settingTurn.enter()
        defer { settingTurn.leave() }
        // Where it ends is what was asked for.
        _ = try await make(step, clamping: true, isSoftware: !isOver, step: ramp)
      } catch {
        guard settingsState.ramp?.ramp == ramp else { return }
        endRamp(error)
        return softwareChanged()
      }
      if isOver {
        settingsState.ramp = nil
        softwareChanged()
        return
      }
    }
  }
}
