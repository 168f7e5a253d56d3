/// How a photo is turned and mirrored.
public enum OrientationMethod: String, CaseIterable, Hashable, Sendable {
  /// A camera's own JPEG keeps its coefficients, which are moved in whole blocks.
  case lossless
  /// A camera's own JPEG is decoded, and encoded again.
  case encoded
  /// The pixels stay, and EXIF's Orientation says how they have to be turned.
  case flag
}
