import CaptureWire

/// A named set of a camera's settings, on its node.
public typealias RemoteSettingsProfile = CaptureWire.SettingsProfile
/// How far a calibration is, and what it found.
public typealias RemoteCalibrationEvent = CaptureWire.CalibrationEvent

extension RemoteNode {
  /// Keeps the camera's settings as they are under a name: 1 to 64 letters, digits, "-", "_" and ".". Throws `alreadyExists` unless it `replaces`.
  @discardableResult
  public func saveProfile(
    _ name: String, of camera: String, replaces: Bool = false
  ) async throws(RPCError) -> RemoteSettingsProfile {
    try await SettingsClient(connection).saveProfile(
      SaveProfileRequest(camera: camera, name: name, replace: replaces), options: callOptions)
  }

  /// Sets what a profile holds, all of it or nothing. Throws `notFound` naming those there are.
  @discardableResult
  public func loadProfile(_ name: String, of camera: String) async throws(RPCError) -> RemoteSettingsResult {
    try await SettingsClient(connection).loadProfile(
      LoadProfileRequest(camera: camera, name: name), options: callOptions)
  }

  /// A camera's profiles, by name.
  public func profiles(of camera: String) async throws(RPCError) -> [RemoteSettingsProfile] {
    try await SettingsClient(connection).listProfiles(
      ListProfilesRequest(camera: camera), options: callOptions
    ).profiles
  }

  /// Throws `notFound` naming those there are.
  public func deleteProfile(_ name: String, of camera: String) async throws(RPCError) {
    _ = try await SettingsClient(connection).deleteProfile(
      DeleteProfileRequest(camera: camera, name: name), options: callOptions)
  }

  /// Measures, from pixels, how many frames pass between a change of a control and the first frame that has it: of the controls named, or of
  /// all that usually show. Takes some seconds a control. Cancelling sets everything back.
  public func calibrate(
    _ controls: [String] = [], of camera: String
  ) async throws(RPCError) -> ResponseStream<RemoteCalibrationEvent> {
    var options = callOptions
    (options.timeout, options.window) = (nil, 64)
    return try await SettingsClient(connection).calibrate(
      CalibrateRequest(camera: camera, controls: controls), options: options)
  }
}
