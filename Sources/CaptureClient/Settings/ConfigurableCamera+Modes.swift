public import CaptureModel

/// One call for each thing that a person does with a camera. Each call returns when the change has settled, with the first frame that has it, or
/// throws the reason why it has not settled (``Camera/settle(after:of:within:)``). The change stays in any case.
extension ConfigurableCamera {
  /// Makes a change and waits until it has settled. `clamping` sets the nearest possible value instead of refusing one that is out of range.
  /// Throws as ``change(_:clamping:)`` and ``Camera/settle(after:of:within:)`` do.
  @discardableResult
  public func apply(
    _ change: SettingsChange, clamping: Bool = false, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    let result = try await self.change(change, clamping: clamping)
    return try await camera.settle(after: result, of: change, within: limit)
  }

  /// Makes a change and waits until it has settled: `apply { $0.exposure.bias = 0.5 }`. Throws as ``apply(_:clamping:within:)`` does.
  @discardableResult
  public func apply(
    clamping: Bool = false, within limit: Duration = Camera.usualSettlingTime,
    _ body: (inout SettingsChange) -> Void
  ) async throws(CaptureError) -> Settled {
    try await apply(SettingsChange(body), clamping: clamping, within: limit)
  }

  // MARK: Focus

  /// Focuses on a place, in the sensor's own upright frame, as a tap on the picture does. `auto` focuses once, `continuous` follows what is there.
  /// `AVCaptureDevice.focusPointOfInterest`, `focusMode`.
  /// Throws `invalidArgument` for a place outside of 0 to 1, a camera that focuses on no place, or a mode that it lacks, and otherwise as
  /// ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func focus(
    at point: NormalizedPoint, mode: FocusMode = .auto, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.focus = .init(mode: mode, point: point) }, limit)
  }

  /// Focuses by a mode, at the present point of interest (`AVCaptureDevice.focusMode`).
  /// Throws `invalidArgument`, which lists the camera's modes, for a mode that it lacks, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func focus(
    _ mode: FocusMode, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.focus.mode = mode }, limit)
  }

  /// Moves the lens to a position from 0 (nearest) to 1 (infinity), and locks the focus there (`setFocusModeLocked(lensPosition:)`).
  /// Throws `invalidArgument` for another number, or a lens that cannot be set, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func focus(
    lensPosition: Double, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.focus.lensPosition = lensPosition }, limit)
  }

  // MARK: Exposure

  /// Exposes for a place, in the sensor's own upright frame. `auto` meters once, `continuous` follows the light. `bias`: EV; `nil`: as it is.
  /// `exposurePointOfInterest`, `exposureMode`, `setExposureTargetBias`.
  /// `bias` is within the camera's range (`settingsDescription()`). Throws `invalidArgument` beyond that, for a place outside of 0 to 1, or a mode
  /// that the camera lacks, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func expose(
    at point: NormalizedPoint, mode: ExposureMode = .continuous, bias: Double? = nil,
    within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.exposure = .init(mode: mode, point: point, bias: bias) }, limit)
  }

  /// Exposes by a mode (`AVCaptureDevice.exposureMode`). `bias`: EV; `nil`: as it is.
  /// Throws `invalidArgument` for a bias beyond the camera's range, which the error names, or a mode that the camera lacks, and otherwise as
  /// ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func expose(
    _ mode: ExposureMode, bias: Double? = nil, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.exposure = .init(mode: mode, bias: bias) }, limit)
  }

  /// Exposes by hand. `duration`: seconds; `gain`: the driver's units, for cameras whose ISO nobody knows. A value that is `nil` stays as it is.
  /// `setExposureModeCustom(duration:iso:)`.
  /// Each value is within the camera's range (`settingsDescription()`). Throws `invalidArgument`, which names the range, for a value beyond it, for
  /// `iso` and `gain` together, or for a camera without that control, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func expose(
    duration: Double?, iso: Double? = nil, gain: Double? = nil,
    within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.exposure = .init(mode: .custom, duration: duration, iso: iso, gain: gain) }, limit)
  }

  // MARK: White balance

  /// Balances by a mode (`AVCaptureDevice.whiteBalanceMode`).
  /// Throws `invalidArgument`, which lists the camera's modes, for a mode that it lacks, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func whiteBalance(
    _ mode: WhiteBalanceMode, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.whiteBalance.mode = mode }, limit)
  }

  /// Balances for a light, by gains, or so that the mean of the picture is grey, and locks the white balance there
  /// (`setWhiteBalanceModeLocked(with:)`).
  /// A temperature is 1,500 to 15,000 K, a tint -150 to 150, a gain above 0. Throws `invalidArgument` for a value beyond these, or one that the
  /// camera cannot be set to, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func whiteBalance(
    _ colour: SettingsChange.WhiteBalance.Colour, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.whiteBalance.colour = colour }, limit)
  }

  // MARK: Zoom and light

  /// Zooms at once (`videoZoomFactor`). `factor`: from 1 to the camera's maximum.
  /// Throws `invalidArgument`, which names the range, for a factor beyond it, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func zoom(
    to factor: Double, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.zoom = .init(factor: factor) }, limit)
  }

  /// Zooms smoothly and returns when the zoom has arrived. `rate`: doublings a second, 0.01 to 100. `limit`: how long the camera may take to settle,
  /// in addition to the time that the zoom takes. `ramp(toVideoZoomFactor:withRate:)`.
  /// `factor`: as for ``zoom(to:within:)``. Throws `invalidArgument`, which names the range, for a factor or a rate beyond it, `aborted` where
  /// another client changed the zoom on its way, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func ramp(
    toZoom factor: Double, rate: Double, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.zoom = .init(factor: factor, rate: rate) }, limit)
  }

  /// Stops a zoom that is on its way where it is (`cancelVideoZoomRamp`).
  /// Throws `invalidArgument` for a camera without a zoom, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func stopZoom() async throws(CaptureError) -> Settled {
    try await apply({ $0.zoom = .init(factor: 0) }, Camera.usualSettlingTime)
  }

  /// Switches the torch on, with a level above 0 and up to 1, or off, with 0 (`setTorchModeOn(level:)`).
  /// Throws `invalidArgument` for another level, or a camera without a torch, and otherwise as ``Camera/settle(after:of:within:)``.
  @discardableResult
  public func torch(
    _ level: Double, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.torch = level == 0 ? .init(mode: .off) : .init(mode: .on, level: level) }, limit)
  }

  private func apply(_ body: (inout SettingsChange) -> Void, _ limit: Duration)
    async throws(CaptureError) -> Settled
  { try await apply(SettingsChange(body), within: limit) }
}

extension SettingsChange {
  /// The change that `body` makes of an empty one.
  init(_ body: (inout SettingsChange) -> Void) {
    self.init()
    body(&self)
  }
}
