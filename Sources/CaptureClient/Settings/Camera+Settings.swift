public import CaptureModel
internal import CaptureWire

/// A way to change a camera: the ``Camera`` itself, each of whose calls takes the camera's lease while the call runs, or a ``Lock``.
///
/// A call fails with `failedPrecondition` while another client holds the lease; the error names the holder and the time left.
public protocol ConfigurableCamera: Sendable {
  /// The camera that is changed.
  var camera: Camera { get }
}

extension Camera: ConfigurableCamera {
  /// The camera itself.
  public var camera: Camera { self }
}

/// Focus, exposure, white balance, zoom and light: `AVCaptureDevice`'s settings.
extension Camera {
  /// Every setting that the camera has, with its ranges.
  /// Throws `notFound` where the node has no such camera, and `unavailable` where it is unplugged.
  public func settingsDescription() async throws(CaptureError) -> CaptureModel.SettingsDescription {
    try await convertingErrors { () async throws(RPCError) in
      try await SettingsClient(node.connection).describe(
        DescribeSettingsRequest(device: name), options: node.callOptions
      ).model
    }
  }

  /// The present settings.
  /// Throws `notFound` where the node has no such camera, and `unavailable` where it is unplugged.
  public func settings() async throws(CaptureError) -> CaptureModel.CameraSettings {
    try await convertingErrors { () async throws(RPCError) in
      try await SettingsClient(node.connection).get(
        GetSettingsRequest(device: name), options: node.callOptions
      ).model
    }
  }

  /// Waits for the first frame that has a change; returns at once while the camera does not stream.
  ///
  /// For a smooth zoom, that frame is the one in which the zoom has arrived (`aborted` where another change ended the zoom on its way). For bounds of
  /// the frame duration, it is the first frame of the stream that keeps to the bounds. For a change that no frame shows, such as a mode of the node,
  /// it is the first frame captured after the change.
  /// Throws `notFound` for a number that no change has, or whose change the node has forgotten, and `deadlineExceeded` where no such frame came in
  /// time.
  public func awaitChange(_ change: UInt64) async throws(CaptureError) -> CaptureModel.AppliedChange {
    try await awaitChange(change, timeout: node.configuration.timeout)
  }

  func awaitChange(_ change: UInt64, timeout: Duration?) async throws(CaptureError)
    -> CaptureModel.AppliedChange
  {
    var options = node.callOptions
    options.timeout = timeout
    return try await convertingErrors { [options] () async throws(RPCError) in
      try await SettingsClient(node.connection).awaitChange(
        AwaitChangeRequest(device: name, change: change), options: options
      ).model
    }
  }

  /// The gains that make a light grey, without setting them (`deviceWhiteBalanceGains(for:)`). `isReachable`: whether the camera can be set to them.
  /// Throws `invalidArgument` for a light beyond 1,500 to 15,000 K or a tint of -150 to 150, and `notFound` where the node has no such camera.
  public func whiteBalanceGains(
    for light: CaptureModel.TemperatureAndTint
  ) async throws(CaptureError) -> (gains: WhiteBalanceGains, isReachable: Bool) {
    try await convertingErrors { () async throws(RPCError) in
      let answer = try await SettingsClient(node.connection).convertWhiteBalance(
        ConvertWhiteBalanceRequest(device: name, colour: .temperature(.init(light))),
        options: node.callOptions)
      guard let gains = answer.gains?.model else {
        throw RPCError(.dataLoss, "the node's answer has no gains")
      }
      return (gains, answer.reachable)
    }
  }

  /// The light that gains make grey (`temperatureAndTintValues(for:)`).
  /// Throws `invalidArgument` for gains that are not above 0, and `notFound` where the node has no such camera.
  public func temperatureAndTint(
    for gains: WhiteBalanceGains
  ) async throws(CaptureError) -> CaptureModel.TemperatureAndTint {
    try await convertingErrors { () async throws(RPCError) in
      let answer = try await SettingsClient(node.connection).convertWhiteBalance(
        ConvertWhiteBalanceRequest(device: name, colour: .gains(.init(gains))), options: node.callOptions)
      return (answer.temperature ?? .init()).model
    }
  }
}

extension ConfigurableCamera {
  /// Changes settings, all or none. Returns as soon as the driver took them.
  ///
  /// Throws `invalidArgument` for a value out of range (it names the range) or a mode that the camera lacks (it lists the modes). `clamping` sets the
  /// nearest possible value instead of refusing; the result's `clamped` lists the values that were replaced. Throws `failedPrecondition` for a
  /// setting that cannot be set now, and where another client has the camera's lease, `notFound` where the node has no such camera, and `unavailable`
  /// where it is unplugged.
  @discardableResult
  public func change(
    _ change: CaptureModel.SettingsChange, clamping: Bool = false
  ) async throws(CaptureError) -> SettingsResult {
    try await convertingErrors { () async throws(RPCError) in
      try await SettingsClient(camera.node.connection).set(
        SetSettingsRequest(device: camera.name, change: .init(change), clamp: clamping),
        options: camera.node.callOptions
      ).model
    }
  }

  /// Changes settings, all or none, and returns as soon as the driver took them: `change { $0.exposure.bias = 0.5 }`. Throws as
  /// ``change(_:clamping:)`` does.
  @discardableResult
  public func change(
    clamping: Bool = false, _ body: (inout CaptureModel.SettingsChange) -> Void
  ) async throws(CaptureError) -> SettingsResult {
    try await change(CaptureModel.SettingsChange(body), clamping: clamping)
  }

  /// Sets focus and exposure to continuous at the centre, the whole range and no bias. White balance stays as it is.
  /// Throws `failedPrecondition` where another client has the camera's lease, and `unavailable` where the camera is unplugged.
  @discardableResult
  public func resetSettings() async throws(CaptureError) -> SettingsResult {
    try await convertingErrors { () async throws(RPCError) in
      try await SettingsClient(camera.node.connection).reset(
        ResetSettingsRequest(device: camera.name), options: camera.node.callOptions
      ).model
    }
  }
}
