/// What the flash did for a photo. `AVCapturePhotoSettings.flashMode`, and EXIF's flash tag.
public enum FlashOutcome: String, CaseIterable, Hashable, Sendable {
  /// The photo's frame has its light.
  case fired
  /// It is automatic, and the scene is bright enough.
  case notNeeded
}
