public import CaptureModel
internal import CaptureWire

extension Camera {
  /// The camera's profiles, by name.
  /// Throws `notFound` where the node has no such camera.
  public func profiles() async throws(CaptureError) -> [CaptureModel.SettingsProfile] {
    try await convertingErrors { () async throws(RPCError) in
      try await SettingsClient(node.connection).listProfiles(
        ListProfilesRequest(device: name), options: node.callOptions
      ).profiles.map(\.model)
    }
  }
}

extension ConfigurableCamera {
  /// Saves the camera's present settings under a name: 1 to 64 letters, digits, "-", "_" and ".". Throws `alreadyExists` for a used name, unless
  /// `replaces` is true.
  @discardableResult
  public func saveProfile(_ name: String, replaces: Bool = false) async throws(CaptureError)
    -> CaptureModel.SettingsProfile
  {
    try await convertingErrors { () async throws(RPCError) in
      try await SettingsClient(camera.node.connection).saveProfile(
        SaveProfileRequest(device: camera.name, name: name, replace: replaces),
        options: camera.node.callOptions
      ).model
    }
  }

  /// Sets everything in a profile, or nothing. Throws `notFound`, which lists the profiles.
  @discardableResult
  public func loadProfile(_ name: String) async throws(CaptureError) -> SettingsResult {
    try await convertingErrors { () async throws(RPCError) in
      try await SettingsClient(camera.node.connection).loadProfile(
        LoadProfileRequest(device: camera.name, name: name), options: camera.node.callOptions
      ).model
    }
  }

  /// Deletes a profile. Throws `notFound`, which lists the profiles.
  public func deleteProfile(_ name: String) async throws(CaptureError) {
    _ = try await convertingErrors { () async throws(RPCError) in
      try await SettingsClient(camera.node.connection).deleteProfile(
        DeleteProfileRequest(device: camera.name, name: name), options: camera.node.callOptions)
    }
  }

  /// Measures, from pixels, how many frames pass between a change of a control and the first frame that has it. `controls`: their names; empty: all
  /// controls that usually show in pictures. A calibration takes some seconds for each control. However it ends, all controls are set back. A slow
  /// reader gets every event, and does not hold it up.
  ///
  /// The events end with the calibration. Each iterator calibrates. Throws `notFound` for a camera or a control that the node does not have;
  /// `failedPrecondition` for a control that cannot be measured, while another client has the camera or calibrates it, and where nothing that is set
  /// shows in the picture; and `unavailable` where the camera goes or gives no frames, where the node cannot store what it has measured, and where the
  /// connection is lost, also if connections are made again.
  public func calibrate(_ controls: [String] = []) -> CalibrationEvents {
    var options = camera.node.callOptions
    (options.timeout, options.window) = (nil, 64)
    let name = camera.name
    return CalibrationEvents(
      camera.node.connection, resumes: false,
      open: { [options] connection throws(RPCError) in
        try await SettingsClient(connection).calibrate(
          CalibrateRequest(device: name, controls: controls), options: options)
      }, read: { $0.model })
  }
}

/// The progress of a calibration, and its results.
public typealias CalibrationEvents = ResumingEvents<CalibrationProgress>
