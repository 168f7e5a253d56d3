import CaptureModel

/// Sets the exposure for a search for focus, where the picture is white or black around the point of interest: such a picture shows nothing that
/// could be sharp. The search borrows only an exposure that was set by hand. It is set back when the search ends, however it ends.
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

  /// The software mode of the exposure that a client asked for; `nil`: none, or the exposure is borrowed for a search for focus.
  var requestedExposure: AutoExposure? { borrowing == .borrowed ? nil : threeA.exposure }

  /// A search may borrow the exposure only in this many of its first frames. By then every camera shows what was set before the search began. A white
  /// or black part that appears later belongs to a picture that is exposed well enough.
  private static let lastBorrowingFrame = 12

  /// Borrows the exposure if the frame is white or black where a search for focus looks.
  mutating func borrowExposure(for frame: FrameStatistics) {
    searched = threeA.focus?.isAdjusting == true ? searched + 1 : 0
    guard borrowing == .none, threeA.exposure == nil, settings?.exposure?.mode == .custom,
      searched <= Self.lastBorrowingFrame, let focus = threeA.focus, focus.isAdjusting, focus.isBlind(frame),
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
    if exposureOrigin.searchHasMovedAway, let before = exposureOrigin.change?.exposure {
      change.exposure = before
      threeA.pauseFocusForExposure()
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
