import Capture3A
import CaptureImaging
import CaptureModel

/// Holds the settings while the camera changes its format.
extension FormatSwitch {
  /// The state of the camera before it is switched.
  struct FormerState: Sendable {
    /// What was measured of the picture; `nil`: it could not be measured.
    var picture: SettlingReading?
    var isGrey: Bool
    /// The values of the camera's controls.
    var values: [ControlAssignment]
    /// How long to wait, at most, for a frame that looks as before.
    var patience: Duration
    /// Why the stream's frames are interrupted, for those who watch.
    var reason: String
    /// Whether, at a former start, the camera kept its controls and its first frame looked as before.
    var startsAsBefore = false
  }

  /// Calls `body` while exposure, white balance and focus keep their present values. The caller holds the gate `stream`. `reason`: the reason that
  /// subscribers get for the interruption of their frames.
  ///
  /// Throws the errors of ``DeviceSettings/lock(_:for:_:)`` before it calls `body`. If `isRequired` is false, it calls `body` even if the stream
  /// gives no frame or a value cannot be held.
  func holding<Value>(
    _ stream: ActiveStream, for size: FrameSize, atMost patience: Duration, because reason: String,
    isRequired: Bool = true, on device: isolated Device,
    _ body: (any Camera, FormerState) async throws(CaptureError) -> Value
  ) async throws(CaptureError) -> Value {
    try await context.gates.flash.enter()
    defer { context.gates.flash.leave() }
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    let camera = try context.camera.required()
    guard let present = context.stream.active, context.stream.isActive(stream) else {
      throw stream.hub.end ?? context.camera.departure
    }
    let picture: SettlingReading? = try await value(orElse: nil, isRequired) { () throws(CaptureError) in
      // An interrupted stream is not measured unless it has to be: the wait for a frame that does not come takes seconds.
      !isRequired && present.hub.isInterrupted
        ? nil : try await device.photos.measureNextFrame(of: present.hub)
    }
    var undo = SettingsUndo(asked: settings.asked)
    let result: Result<Value, CaptureError>
    do throws(CaptureError) {
      try await value(orElse: (), isRequired) { () throws(CaptureError) in
        try await settings.endOwnModes(&undo)
        try await settings.lock([.exposure, .whiteBalance, .focus], for: "the switch to \(size)", &undo)
      }
      let values = try await value(orElse: [], isRequired) { () throws(CaptureError) in
        try await settings.valuesToKeep(of: camera)
      }
      let before = FormerState(
        picture: picture, isGrey: PixelConverter.isGrey(present.format.pixelFormat),
        values: values, patience: patience, reason: reason)
      try CaptureError.checkCancellation()
      result = .success(try await body(camera, before))
    } catch {
      result = .failure(error)
    }
    await settings.revert(undo, on: camera)
    return try result.get()
  }

  /// Returns what `body` returns. If `body` throws, throws its error if `isRequired` is true, and otherwise returns `other`.
  private func value<Value>(
    orElse other: Value, _ isRequired: Bool, _ body: () async throws(CaptureError) -> Value
  ) async throws(CaptureError) -> Value {
    do throws(CaptureError) {
      return try await body()
    } catch {
      guard isRequired else { return other }
      throw error
    }
  }
}
