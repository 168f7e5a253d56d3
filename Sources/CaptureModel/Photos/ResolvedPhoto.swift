/// What becomes of a request for a photo, reported before the photo is taken (`AVCaptureResolvedPhotoSettings`).
public struct ResolvedPhoto: Hashable, Sendable {
  /// One of the files that are made of the frame.
  public struct File: Hashable, Sendable {
    /// What kind of file it is.
    public var type: PhotoFileType
    /// How many pixels it has.
    public var size: FrameSize
    /// The camera's format of which it is made.
    public var source: PixelFormat
    /// Whether the camera's own JPEG is decoded and encoded again.
    public var isReencoded: Bool
    /// How it is turned or mirrored; `nil`: it is not. `lossless` may become `encoded` where the frame's blocks do not allow it, unless `lossless`
    /// was asked for.
    public var orientationMethod: OrientationMethod?

    public init(
      _ type: PhotoFileType, size: FrameSize, source: PixelFormat, isReencoded: Bool = false,
      orientationMethod: OrientationMethod? = nil
    ) {
      (self.type, self.size, self.source) = (type, size, source)
      (self.isReencoded, self.orientationMethod) = (isReencoded, orientationMethod)
    }
  }
  /// One for each format of the request.
  public var files: [File]
  /// The flash's mode for this photo; `nil`: the camera has no flash, or that is not known.
  public var flash: LightMode?
  /// How long the photo waits at most for the camera's automatic modes. The node's own modes may have longer.
  public var settling: Duration
  /// The size of the embedded thumbnail; `nil`: none is embedded.
  public var thumbnail: FrameSize?
  /// The size of the preview; `nil`: none is sent.
  public var preview: FrameSize?

  public init(
    files: [File], flash: LightMode? = nil, settling: Duration = PhotoSettling.usualBound,
    thumbnail: FrameSize? = nil, preview: FrameSize? = nil
  ) {
    (self.files, self.flash, self.settling) = (files, flash, settling)
    (self.thumbnail, self.preview) = (thumbnail, preview)
  }
}
