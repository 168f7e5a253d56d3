public import CaptureModel

/// One call for each thing that a person does. Each returns when the camera has settled, with the first frame that has it, or throws why it has not
/// (``Camera/settle(after:of:within:)``). What was set stays in any case.
extension ConfigurableCamera {
  /// Makes a change and waits until it has settled. `clamping` sets the nearest possible value instead of refusing one that is out of range.
  @discardableResult
  public func apply(
    _ change: SettingsChange, clamping: Bool = false, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    let result = try await self.change(change, clamping: clamping)
    return try await camera.settle(after: result, of: change, within: limit)
  }

  /// Makes a change and waits until it has done its work: `apply { $0.exposure.bias = 0.5 }`.
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
  @discardableResult
  public func focus(
    at point: NormalizedPoint, mode: FocusMode = .auto, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.focus = .init(mode: mode, point: point) }, limit)
  }

  /// Focuses by a mode, where the point of interest is. `AVCaptureDevice.focusMode`.
  @discardableResult
  public func focus(
    _ mode: FocusMode, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.focus.mode = mode }, limit)
  }

  /// Moves the lens and locks the focus there: 0 (nearest) to 1 (infinity). `setFocusModeLocked(lensPosition:)`.
  @discardableResult
  public func focus(
    lensPosition: Double, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.focus.lensPosition = lensPosition }, limit)
  }

  // MARK: Exposure

  /// Exposes for a place, in the sensor's own upright frame. `auto` meters once, `continuous` follows the light. `bias`: EV; `nil`: as it is.
  /// `exposurePointOfInterest`, `exposureMode`, `setExposureTargetBias`.
  @discardableResult
  public func expose(
    at point: NormalizedPoint, mode: ExposureMode = .continuous, bias: Double? = nil,
    within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.exposure = .init(mode: mode, point: point, bias: bias) }, limit)
  }

  /// Exposes by a mode. `bias`: EV; `nil`: as it is. `AVCaptureDevice.exposureMode`.
  @discardableResult
  public func expose(
    _ mode: ExposureMode, bias: Double? = nil, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.exposure = .init(mode: mode, bias: bias) }, limit)
  }

  /// Exposes by hand. `duration`: seconds; `gain`: the driver's units, for cameras whose ISO nobody knows. What is `nil` stays as it is.
  /// `setExposureModeCustom(duration:iso:)`.
  @discardableResult
  public func expose(
    duration: Double?, iso: Double? = nil, gain: Double? = nil,
    within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.exposure = .init(mode: .custom, duration: duration, iso: iso, gain: gain) }, limit)
  }

  // MARK: White balance

  /// Balances by a mode. `AVCaptureDevice.whiteBalanceMode`.
  @discardableResult
  public func whiteBalance(
    _ mode: WhiteBalanceMode, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.whiteBalance.mode = mode }, limit)
  }

  /// Balances for a light, by gains, or so that the mean of the picture is grey, and locks that. `setWhiteBalanceModeLocked(with:)`.
  @discardableResult
  public func whiteBalance(
    _ colour: SettingsChange.WhiteBalance.Colour, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.whiteBalance.colour = colour }, limit)
  }

  // MARK: Zoom and light

  /// Zooms at once. `factor`: from 1 to the camera's maximum. `videoZoomFactor`.
  @discardableResult
  public func zoom(
    to factor: Double, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.zoom = .init(factor: factor) }, limit)
  }

  /// Zooms smoothly and returns when the zoom has arrived. `rate`: doublings a second, 0.01 to 100. `limit`: in addition to the time that this takes.
  /// `ramp(toVideoZoomFactor:withRate:)`.
  @discardableResult
  public func ramp(
    toZoom factor: Double, rate: Double, within limit: Duration = Camera.usualSettlingTime
  ) async throws(CaptureError) -> Settled {
    try await apply({ $0.zoom = .init(factor: factor, rate: rate) }, limit)
  }

  /// Stops a zoom that is on its way where it is. `cancelVideoZoomRamp`.
  @discardableResult
  public func stopZoom() async throws(CaptureError) -> Settled {
    try await apply({ $0.zoom = .init(factor: 0) }, Camera.usualSettlingTime)
  }

  /// Switches the torch on, with a level from above 0 to 1, or off, with 0. `setTorchModeOn(level:)`.
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
  /// The change that `body` makes of none.
  init(_ body: (inout SettingsChange) -> Void) {
    self.init()
    body(&self)
  }
}
