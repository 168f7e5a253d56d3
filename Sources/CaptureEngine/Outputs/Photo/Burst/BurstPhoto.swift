import CaptureModel

/// A photo of a burst.
public struct BurstPhoto: Sendable {
  public let photo: Photo
  /// How many frames of the camera are missing between it and the photo before.
  public let place: SequencePlace
}
