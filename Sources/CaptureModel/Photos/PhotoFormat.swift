/// One of the files that are made of a photo's frame.
public struct PhotoFormat: Hashable, Sendable {
  public var type: PhotoFileType
  /// The picture that is wanted in it. For a DNG, size and crop cannot be chosen.
  public var picture: VideoRequest

  public init(_ type: PhotoFileType, _ picture: VideoRequest) {
    (self.type, self.picture) = (type, picture)
    // A PNG is made of pixels that are converted from whatever the camera gives.
    switch type {
    case .jpeg: self.picture.encoding = .jpeg
    case .png:
      guard picture.target == nil else { break }
      self.picture.sourcePixelFormat = picture.sourcePixelFormat ?? picture.pixelFormat
      (self.picture.encoding, self.picture.pixelFormat) = (.raw, PixelTarget.rgb24.pixelFormat)
    case .dng, .raw: self.picture.encoding = .raw
    }
  }

  /// The type and picture of a photo that names no formats: a JPEG, or the camera's bytes.
  public init(of picture: VideoRequest) {
    self.init(picture.encoding == .jpeg ? .jpeg : .raw, picture)
  }
}
