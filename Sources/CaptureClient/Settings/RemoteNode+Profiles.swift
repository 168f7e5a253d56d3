import CaptureWire

/// A named set of a camera's settings, kept on its node.
public typealias RemoteSettingsProfile = CaptureWire.SettingsProfile
/// The progress of a calibration, and its results.
public typealias RemoteCalibrationEvent = CaptureWire.CalibrationEvent

extension RemoteNode {
  /// Saves the camera's present settings under a name: 1 to 64 letters, digits, "-", "_" and ".". Throws `alreadyExists` for a used name, unless
  /// `replaces` is true.
  @discardableResult
  public func saveProfile(
    _ name: String, of camera: String, replaces: Bool = false
  ) async throws(RPCError) -> RemoteSettingsProfile {
    try await SettingsClient(connection).saveProfile(
      SaveProfileRequest(device: camera, name: name, replace: replaces), options: callOptions)
  }

  /// Sets everything in a profile, or nothing. Throws `notFound`, which lists the profiles.
  @discardableResult
  public func loadProfile(_ name: String, of camera: String) async throws(RPCError) -> RemoteSettingsResult {
    try await SettingsClient(connection).loadProfile(
      LoadProfileRequest(device: camera, name: name), options: callOptions)
  }

  /// The camera's profiles, by name.
  public func profiles(of camera: String) async throws(RPCError) -> [RemoteSettingsProfile] {
    try await SettingsClient(connection).listProfiles(
      ListProfilesRequest(device: camera), options: callOptions
    ).profiles
  }

  /// Deletes a profile. Throws `notFound`, which lists the profiles.
  public func deleteProfile(_ name: String, of camera: String) async throws(RPCError) {
    _ = try await SettingsClient(connection).deleteProfile(
      DeleteProfileRequest(device: camera, name: name), options: callOptions)
  }

  /// Measures, from pixels, how many frames pass between a change of a control and the first frame that has it, for the named controls or for all that
  /// usually show. It takes some seconds for each control. Cancelling sets everything back.
  public func calibrate(
    _ controls: [String] = [], of camera: String
  ) async throws(RPCError) -> ResponseStream<RemoteCalibrationEvent> {
    var options = callOptions
    (options.timeout, options.window) = (nil, 64)
    return try await SettingsClient(connection).calibrate(
      CalibrateRequest(device: camera, controls: controls), options: options)
  }
}
