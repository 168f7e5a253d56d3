/// How a photo of full size comes about beside a stream that others watch. `AVCapturePhotoSettings.maxPhotoDimensions`.
public enum FullSize: String, CaseIterable, Hashable, Sendable {
  /// The stream is not disturbed: the photo is one of its frames.
  case stream
  /// The camera is switched to the photo's format, and back. Those who watch have no frames meanwhile.
  case `switch`
}
