import CaptureImaging
import CaptureModel

/// A camera that the node computes. It shows a scene with the time of day and the frame's number, has controls that act on the picture, and fails on
/// demand.
public final class SyntheticCamera: PluggedCamera {
  let device: SyntheticDevice
  let control = ControlState()

  /// `unplugged` is called when a fault unplugs the camera, with the time for which the camera stays away.
  init(_ spec: SyntheticSpec, index: Int, unplugged: @escaping @Sendable (Duration) -> Void) {
    device = SyntheticDevice(
      spec,
      CameraDescription(
        id: CameraID(rawValue: "synthetic-\(index)"), name: "Synthetic Camera \(index)", driver: "synthetic",
        bus: "synthetic-\(index)", serial: "\(index)",
        manufacturer: "RemoteCapture"),
      unplugged: unplugged)
  }

  package func startStreaming(
    _ request: StreamRequest, into receiver: any FrameReceiver
  ) async throws(CaptureError) -> StreamFormat {
    try await device.startStreaming(request, into: receiver) { [control] format, schedule in
      SceneSource(format, schedule.interval, control)
    }
  }

  /// Makes the camera fail.
  package func inject(_ fault: SyntheticFault) async { await device.inject(fault) }
}
