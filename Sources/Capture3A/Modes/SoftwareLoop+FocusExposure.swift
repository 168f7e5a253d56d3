import CaptureModel

/// Exposes for a search for focus where the picture is white or black at its point: such a picture shows nothing that could be sharp. The exposure is
/// borrowed only if it was set by hand. It is set back when the search ends, however it ends.
extension SoftwareLoop {
  /// Whether the search for focus sets the exposure.
  enum Borrowing: Sendable {
    /// The search goes on with the exposure that there is.
    case none
    /// The search exposes.
    case borrowed
    /// Somebody else has taken the exposure since, and the search goes on with what that one sets.
    case over
  }

  /// The node's own mode of the exposure, without what is done for focus.
  var ownExposure: AutoExposure? { borrowing == .borrowed ? nil : threeA.exposure }

  /// A search begins to expose only within so many frames: by then every camera shows what was set before it. Later it sees blinding parts of a picture
  /// that is exposed well enough.
  private static let borrowingTime = 12

  /// Begins to expose if the frame is blind where a search for focus looks.
  mutating func borrowExposure(for frame: FrameStatistics) {
    searched = threeA.focus?.isAdjusting == true ? searched + 1 : 0
    guard borrowing == .none, threeA.exposure == nil, settings?.exposure?.mode == .custom,
      searched <= Self.borrowingTime, let focus = threeA.focus, focus.isAdjusting, focus.isBlind(frame),
      let present = settings.map(actuators.known)?.exposure, let exposure = exposureForFocus()
    else { return }
    exposureOrigin = Origin()
    (threeA.exposure, borrowing) = (exposure, .borrowed)
    threeA.exposure?.begin(with: present)
    beginFromPresent()
    renewFocus()
  }

  /// Sets the exposure back once no search for focus needs it. `isOver`: the stream ended, and a search begins anew with the next one.
  package mutating func returnExposure(in change: inout SettingsChange, isOver: Bool = false) {
    guard borrowing != .none, isOver || threeA.focus?.isAdjusting != true else { return }
    defer { borrowing = .none }
    guard borrowing == .borrowed else { return }
    if exposureOrigin.isLeft, let before = exposureOrigin.change?.exposure {
      change.exposure = before
      threeA.exposureIsSetBack()
    }
    (threeA.exposure, exposureOrigin) = (nil, Origin())
  }

  /// An exposure for the point that shall be sharp.
  func exposureForFocus() -> AutoExposure? {
    guard let limits = actuators.exposure else { return nil }
    var exposure = AutoExposure(
      limits: limits, meter: meterForFocus, trust: actuators.trust(in: Actuators.exposureSettings))
    exposure.set(.auto)
    return exposure
  }

  var meterForFocus: ExposureMeter {
    ExposureMeter(point: visible(modes.focus.point), aspect: actuators.aspect)
  }
}
