/// How a photo of full size comes about beside a stream that others watch (`AVCapturePhotoSettings.maxPhotoDimensions`).
public enum FullSize: String, CaseIterable, Hashable, Sendable {
  /// The stream is not disturbed: the photo is one of its frames.
  case stream
  /// The camera is switched to the photo's format, and back. Those who watch have no frames meanwhile.
  case `switch`
  /// The camera runs in the photo's format from then on, and goes back ten seconds after the last such photo. Those who watch keep their size: their
  /// frames are made of the larger ones. They have no frames while the camera changes its format, but miss none for the photos.
  case big

  /// Whether it takes frames from those who watch.
  public var interrupts: Bool { self != .stream }
}
