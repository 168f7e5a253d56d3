/// What the flash did for a photo (`AVCapturePhotoSettings.flashMode`, and EXIF's flash tag).
public enum FlashOutcome: String, CaseIterable, Hashable, Sendable {
  /// The flash lit the photo's frame.
  case fired
  /// The flash is automatic, and the scene is bright enough.
  case notNeeded
}
