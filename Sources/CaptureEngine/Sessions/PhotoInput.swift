import CaptureModel

/// The camera of a session's photo output (`AVCaptureInput`).
public struct PhotoInput: Sendable {
  public let device: Device
  let reservation: CameraReservation
  /// What the output's connection does to pictures.
  let transform: PictureTransform
}
