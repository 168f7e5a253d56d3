import CaptureControls
import CaptureModel
import CaptureSystem

extension DeviceSettings {
  private static let shortestStep = Duration.milliseconds(8)

  /// Moves the zoom with a ramp, until the ramp has arrived or is ended.
  func run(_ ramp: ZoomRamp) async {
    let frame = Duration.nanoseconds((context.stream.active?.format.interval ?? .usual).nanoseconds)
    while !Task.isCancelled {
      try? await Task.sleep(for: max(frame, Self.shortestStep))
      guard !Task.isCancelled, zoom.isOnItsWay(ramp) else { return }
      let now = MonotonicClock.now()
      let isOver = ramp.isOver(at: now)
      guard isOver || zoom.mayStep() else { continue }
      var step = SettingsChange()
      step.zoom = SettingsChange.Zoom(factor: ramp.factor(at: now))
      do throws(CaptureError) {
        try await context.gates.settings.enter()
        defer { context.gates.settings.leave() }
        // The last step sets the factor that the client asked for, so it counts as the client's change.
        let made = try await applyChange(
          step, clamping: true, by: isOver ? .client : .automation, step: ramp)
        if !isOver { zoom.noteStep(made.outcome.change) }
      } catch {
        guard zoom.isOnItsWay(ramp) else { return }
        endRamp(error)
        return automationChanged()
      }
      if isOver {
        zoom.rampArrived()
        automationChanged()
        return
      }
    }
  }

  /// Ends the ramp that is on its way, with the zoom where it is, and begins `ramp`; `nil`: begins none. Every change of the zoom calls this.
  func replaceRamp(with ramp: ZoomRamp?, as change: UInt64 = 0) {
    if let former = zoom.ramp {
      endRamp(
        CaptureError(
          .aborted,
          "the zoom of \(context.camera.name) did not reach \(former.ramp.to): another change ended it on its way",
          .init(.changeReplaced, field: CaptureError.field(of: .zoomFactor), asked: .number(former.ramp.to))
        ))
    }
    if let ramp { zoom.begin(ramp, as: change) }
  }

  /// Stops the zoom where it is. The other parts of the change that began the ramp hold, and are reported now.
  func endRamp(_ error: CaptureError) {
    guard let former = zoom.endRamp() else { return }
    context.timeline.breakPromise(of: former.change, error)
    notifyNow(former.change)
  }
}
