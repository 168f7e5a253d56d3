import CaptureWire

/// What a camera can do: modes, ranges, which of the driver's controls are behind them.
public typealias RemoteSettingsDescription = CaptureWire.SettingsDescription
/// A camera's settings as they are, each value with its provenance.
public typealias RemoteSettings = CaptureWire.CameraSettings
/// A change of settings; what it leaves out stays as it is.
public typealias RemoteSettingsChange = CaptureWire.SettingsChange
/// What a change came to: its number, for ``RemoteNode/awaitChange(_:of:)``, and the settings afterwards.
public typealias RemoteSettingsResult = CaptureWire.SetSettingsResponse
/// A value that was out of range, and the nearest possible one that was set instead.
public typealias RemoteClampedValue = CaptureWire.ClampedValue
/// The first frame that has a change.
public typealias RemoteAppliedChange = CaptureWire.AppliedChange
/// Settings that changed, and from which frame they hold.
public typealias RemoteSettingsEvent = CaptureWire.SettingsEvent

/// Focus, exposure, white balance, zoom and light: `AVCaptureDevice`'s settings.
extension RemoteNode {
  /// Everything the camera can do.
  public func describeSettings(of camera: String) async throws(RPCError) -> RemoteSettingsDescription {
    try await SettingsClient(connection).describe(
      DescribeSettingsRequest(camera: camera), options: callOptions)
  }

  /// Settings as they are now.
  public func settings(of camera: String) async throws(RPCError) -> RemoteSettings {
    try await SettingsClient(connection).get(GetSettingsRequest(camera: camera), options: callOptions)
  }

  /// Changes settings, all or none. Returns as soon as the driver took them.
  ///
  /// Throws `invalidArgument` for a value out of range (naming the range) or a mode that the camera lacks (naming those it has),
  /// `failedPrecondition` while another holds the camera's lease. `clamping` sets the nearest possible value instead of refusing; the result's
  /// `clamped` says which.
  @discardableResult
  public func change(
    _ change: RemoteSettingsChange, of camera: String, clamping: Bool = false
  ) async throws(RPCError) -> RemoteSettingsResult {
    try await SettingsClient(connection).set(
      SetSettingsRequest(camera: camera, change: change, clamp: clamping), options: callOptions)
  }

  /// Focus and exposure to continuous at the centre, the whole range, no bias. White balance stays as it is.
  @discardableResult
  public func resetSettings(of camera: String) async throws(RPCError) -> RemoteSettingsResult {
    try await SettingsClient(connection).reset(ResetSettingsRequest(camera: camera), options: callOptions)
  }

  /// Waits for the first frame that has a change; returns at once while the camera does not stream.
  ///
  /// Of a zoom that goes smoothly that is the frame in which it has arrived (`aborted` where another change ended it on its way), of bounds of
  /// frames' duration the first of the stream that keeps to them, of what no frame shows, as a mode of the node, the first captured after it.
  public func awaitChange(_ change: UInt64, of camera: String) async throws(RPCError) -> RemoteAppliedChange {
    try await SettingsClient(connection).awaitChange(
      AwaitChangeRequest(camera: camera, change: change), options: callOptions)
  }

  /// First the settings as they are, then every change of those named (`focus`, `exposure.duration`, a control), or of all.
  public func watchSettings(
    of camera: String, names: [String] = []
  ) async throws(RPCError) -> ResponseStream<RemoteSettingsEvent> {
    try await SettingsClient(connection).watch(
      WatchSettingsRequest(camera: camera, names: names), options: CallOptions(window: 64))
  }
}
