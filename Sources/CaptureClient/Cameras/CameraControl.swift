public import CaptureModel
internal import CaptureWire

/// A control of a camera's driver, as it is now.
public struct CameraControl: Hashable, Sendable {
  /// Its name, type, range and menu.
  public var description: CaptureModel.ControlDescription
  /// `nil` where it cannot be read.
  public var value: CaptureModel.ControlValue?

  public init(description: CaptureModel.ControlDescription, value: CaptureModel.ControlValue?) {
    (self.description, self.value) = (description, value)
  }
}

/// The result of setting controls.
public struct ControlsResult: Hashable, Sendable {
  /// The driver's values of the controls that can be read, in the order in which they were set.
  public var readouts: [ControlReadout]
  /// The change's number, for ``Camera/awaitChange(_:)``.
  public var change: UInt64
  /// Whether the camera streams. If so, a frame of this stream will be the first that has the change; otherwise the first frame of the next stream
  /// will be.
  public var isStreaming: Bool
  /// The values that were set differently from what was asked for.
  public var clamped: [CaptureModel.ClampedValue]
}

extension Camera {
  /// Every control of the driver with its current value.
  /// Throws `notFound` where the node has no such camera, and `unavailable` where it is unplugged.
  public func controls() async throws(CaptureError) -> [CameraControl] {
    try await convertingErrors { () async throws(RPCError) in
      try await DevicesClient(node.connection).controls(
        ControlsRequest(device: name), options: node.callOptions
      ).controls.map { CameraControl(description: $0.model, value: try? $0.value?.model()) }
    }
  }

  /// The current values, found by the controls' names, labels or numbers, in the order of `names`.
  /// Throws `notFound` where the node has no such camera or the camera no such control, and `unavailable` where the camera is unplugged.
  public func controls(named names: [String]) async throws(CaptureError) -> [ControlReadout] {
    try await convertingErrors { () async throws(RPCError) in
      try await DevicesClient(node.connection).getControls(
        GetControlsRequest(device: name, names: names), options: node.callOptions
      ).readings.map { $0.model }
    }
  }
}

extension ConfigurableCamera {
  /// Sets controls in the given order, all or none, and returns the driver's values afterwards. A value out of range is refused with
  /// `invalidArgument`, and a control that is read-only or inactive with `failedPrecondition`. `clamping` sets the nearest possible value instead of
  /// refusing.
  @discardableResult
  public func setControls(
    _ settings: [(name: String, value: ControlSetting)], clamping: Bool = false
  ) async throws(CaptureError) -> ControlsResult {
    let assignments = settings.map {
      CaptureWire.ControlAssignment(NamedAssignment(name: $0.name, value: $0.value))
    }
    return try await convertingErrors { () async throws(RPCError) in
      let response = try await DevicesClient(camera.node.connection).setControls(
        SetControlsRequest(device: camera.name, assignments: assignments, clamp: clamping),
        options: camera.node.callOptions)
      return ControlsResult(
        readouts: response.readings.map { $0.model }, change: response.change,
        isStreaming: response.streaming, clamped: response.clamped.map(\.model))
    }
  }
}
