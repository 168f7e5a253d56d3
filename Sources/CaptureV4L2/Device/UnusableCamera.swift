import CaptureModel

/// A camera that is listed but cannot be used, such as a sensor node that only libcamera can drive.
final class UnusableCamera: Camera {
  let description: CameraDescription

  /// `description` gives the reason.
  init(_ description: CameraDescription) { self.description = description }

  private var refusal: CaptureError {
    CaptureError(
      .failedPrecondition, "\(description.path): \(description.unusableReason ?? "not usable")",
      .init(.cameraUnusable, device: description.id.rawValue))
  }

  func formats() async throws(CaptureError) -> [FormatDescription] { throw refusal }
  func intervals(
    for pixelFormat: PixelFormat, at size: FrameSize
  ) async throws(CaptureError) -> IntervalOptions { throw refusal }
  func controls() async throws(CaptureError) -> [ControlDescription] { throw refusal }
  func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] { throw refusal }
  func set(_ assignments: [ControlAssignment], pacing: FramePacing?) async throws(CaptureError)
    -> [ControlMoment]
  { throw refusal }
  func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {}
  func startStreaming(
    _ request: StreamRequest, into receiver: any FrameReceiver
  ) async throws(CaptureError) -> StreamFormat { throw refusal }
  func stopStreaming() async {}
  var counters: CameraCounters { CameraCounters() }
}
