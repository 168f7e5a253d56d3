import CaptureModel
import CaptureWire

/// In every call that takes a camera, `camera` is its identity, a part of one that is unique on the node, or its index. An unknown camera is
/// `notFound`, an ambiguous one `invalidArgument`; both list the cameras.
extension RemoteNode {
  /// The node's cameras, including those that were unplugged since its start.
  public func devices() async throws(RPCError) -> [RemoteCamera] {
    try await DevicesClient(connection).list(ListDevicesRequest(), options: callOptions)
      .devices.map { RemoteCamera($0) }
  }

  /// The cameras by index, including unplugged ones; and those that should be served and are not, each with the reason, for a person.
  public func devicesAndMissing() async throws(RPCError) -> (cameras: [RemoteCamera], notServed: [String]) {
    let answer = try await DevicesClient(connection).list(ListDevicesRequest(), options: callOptions)
    return (answer.devices.map { RemoteCamera($0) }, answer.notServed)
  }

  /// The identity of the camera to take where the user has chosen none (`AVCaptureDevice.default(for:)`); `nil`: none can be used.
  public func defaultDevice() async throws(RPCError) -> CameraID? {
    let id = try await DevicesClient(connection).list(ListDevicesRequest(), options: callOptions)
      .defaultDevice
    return id.isEmpty ? nil : CameraID(rawValue: id)
  }

  /// Reports first the cameras that are there, then every change.
  public func watchDevices() async throws(RPCError) -> RemoteCameraEvents {
    try await .open(connection)
  }

  /// Pixel formats with their sizes and frame intervals.
  public func formats(of camera: String) async throws(RPCError) -> [RemoteFormat] {
    try await DevicesClient(connection).formats(FormatsRequest(device: camera), options: callOptions)
      .formats.map {
        RemoteFormat(
          description: CaptureModel.FormatDescription($0), isAvailableAsJPEG: $0.jpeg,
          jpegConversion: $0.jpegConversion.model)
      }
  }

  /// Every control of the driver with its current value.
  public func controls(of camera: String) async throws(RPCError) -> [RemoteControl] {
    try await DevicesClient(connection).controls(ControlsRequest(device: camera), options: callOptions)
      .controls.map {
        RemoteControl(
          description: CaptureModel.ControlDescription($0), value: try? $0.value?.model())
      }
  }

  /// The current values, found by the controls' names, labels or numbers, in the order of `names`.
  public func get(_ names: [String], of camera: String) async throws(RPCError) -> [ControlReadout] {
    try await DevicesClient(connection).getControls(
      GetControlsRequest(device: camera, names: names), options: callOptions
    ).readings.map { ControlReadout($0) }
  }

  /// Sets controls in the given order, all or none, and returns the driver's values afterwards. A value out of range is refused with `invalidArgument`,
  /// and a control that is read-only or inactive with `failedPrecondition`. `clamping` sets the nearest possible value instead of refusing.
  @discardableResult
  public func set(
    _ settings: [(name: String, value: ControlSetting)], of camera: String, clamping: Bool = false
  ) async throws(RPCError) -> RemoteControlsResult {
    let assignments = settings.map { setting in
      CaptureWire.ControlAssignment(
        name: setting.name,
        kind: {
          switch setting.value {
          case .value(let value): .value(CaptureWire.ControlValue(value))
          case .literal(let text): .literal(text)
          }
        }())
    }
    return RemoteControlsResult(
      try await DevicesClient(connection).setControls(
        SetControlsRequest(device: camera, assignments: assignments, clamp: clamping), options: callOptions))
  }
}
