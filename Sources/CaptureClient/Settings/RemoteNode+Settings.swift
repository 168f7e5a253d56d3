import CaptureModel
import CaptureWire

/// The settings that a camera has: modes, ranges, and the driver's controls behind them.
public typealias RemoteSettingsDescription = CaptureWire.SettingsDescription
/// A camera's present settings, each value with its provenance.
public typealias RemoteSettings = CaptureWire.CameraSettings
/// A change of settings. A part that is left out stays as it is.
public typealias RemoteSettingsChange = CaptureWire.SettingsChange
/// The result of a change: its number, for ``RemoteNode/awaitChange(_:of:)``, and the settings afterwards.
public typealias RemoteSettingsResult = CaptureWire.SetSettingsResponse
/// A value that was out of range, and the nearest possible one that was set instead.
public typealias RemoteClampedValue = CaptureWire.ClampedValue
/// The first frame that has a change.
public typealias RemoteAppliedChange = CaptureWire.AppliedChange
/// Settings that changed, and the frame from which on they hold.
public typealias RemoteSettingsEvent = CaptureWire.SettingsEvent

/// Focus, exposure, white balance, zoom and light: `AVCaptureDevice`'s settings.
extension RemoteNode {
  /// Every setting that the camera has.
  public func describeSettings(of camera: String) async throws(RPCError) -> RemoteSettingsDescription {
    try await SettingsClient(connection).describe(
      DescribeSettingsRequest(device: camera), options: callOptions)
  }

  /// The present settings.
  public func settings(of camera: String) async throws(RPCError) -> RemoteSettings {
    try await SettingsClient(connection).get(GetSettingsRequest(device: camera), options: callOptions)
  }

  /// Changes settings, all or none. Returns as soon as the driver took them.
  ///
  /// Throws `invalidArgument` for a value out of range (it names the range) or a mode that the camera lacks (it lists the modes), and
  /// `failedPrecondition` while another client holds the camera's lease. `clamping` sets the nearest possible value instead of refusing; the result's
  /// `clamped` lists these.
  @discardableResult
  public func change(
    _ change: RemoteSettingsChange, of camera: String, clamping: Bool = false
  ) async throws(RPCError) -> RemoteSettingsResult {
    try await SettingsClient(connection).set(
      SetSettingsRequest(device: camera, change: change, clamp: clamping), options: callOptions)
  }

  /// Sets focus and exposure to continuous at the centre, the whole range and no bias. White balance stays as it is.
  @discardableResult
  public func resetSettings(of camera: String) async throws(RPCError) -> RemoteSettingsResult {
    try await SettingsClient(connection).reset(ResetSettingsRequest(device: camera), options: callOptions)
  }

  /// Waits for the first frame that has a change; returns at once while the camera does not stream.
  ///
  /// For a smooth zoom it is the frame in which the zoom has arrived (`aborted` where another change ended it on its way). For bounds of the frame
  /// duration it is the first frame of the stream that keeps to them. For a change that no frame shows, such as a mode of the node, it is the first
  /// frame captured after it.
  public func awaitChange(_ change: UInt64, of camera: String) async throws(RPCError) -> RemoteAppliedChange {
    try await SettingsClient(connection).awaitChange(
      AwaitChangeRequest(device: camera, change: change), options: callOptions)
  }

  /// Reports first the present settings, then every change of the named ones (`focus`, `exposure.duration`, a control), or of all.
  public func watchSettings(
    of camera: String, names: [String] = []
  ) async throws(RPCError) -> ResponseStream<RemoteSettingsEvent> {
    try await SettingsClient(connection).watch(
      WatchSettingsRequest(device: camera, names: names), options: CallOptions(window: 64))
  }

  /// The gains that make a light grey, without setting them (`deviceWhiteBalanceGains(for:)`). `reachable`: whether the camera can be set to them.
  public func whiteBalanceGains(
    for light: CaptureModel.TemperatureAndTint, of camera: String
  ) async throws(RPCError) -> (gains: ColourGains, reachable: Bool) {
    let answer = try await SettingsClient(connection).convertWhiteBalance(
      ConvertWhiteBalanceRequest(
        device: camera, colour: .temperature(.init(temperature: light.temperature, tint: light.tint))),
      options: callOptions)
    return (answer.gains ?? ColourGains(), answer.reachable)
  }

  /// The light that gains make grey (`temperatureAndTintValues(for:)`).
  public func temperatureAndTint(
    for gains: WhiteBalanceGains, of camera: String
  ) async throws(RPCError) -> CaptureModel.TemperatureAndTint {
    let answer = try await SettingsClient(connection).convertWhiteBalance(
      ConvertWhiteBalanceRequest(
        device: camera, colour: .gains(.init(red: gains.red, green: gains.green, blue: gains.blue))),
      options: callOptions)
    let light = answer.temperature ?? TemperatureAndTint()
    return .init(temperature: light.temperature, tint: light.tint)
  }
}
