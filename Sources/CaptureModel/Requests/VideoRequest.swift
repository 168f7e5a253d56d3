/// A client's request for pictures from a camera, live or as a photo. The node chooses what is `nil`.
public struct VideoRequest: Hashable, Sendable {
  /// How a picture's bytes are made.
  public enum Encoding: Hashable, Sendable {
    /// JPEG: the camera's own, untouched, where it delivers that and the request names nothing else; otherwise the node encodes it.
    case jpeg
    /// The camera's bytes as they are, or turned by `transform`; or converted, see ``VideoRequest/pixelFormat``.
    case raw
  }

  /// JPEG, or raw.
  public var encoding: Encoding
  /// JPEG: the camera's format that is encoded. Raw: the format that is delivered; frames of a camera that does not give it are converted, if it is a
  /// `PixelTarget`.
  public var pixelFormat: PixelFormat?
  /// Raw: the camera's format from which the frames are converted; `nil`: the node's choice.
  public var sourcePixelFormat: PixelFormat?
  /// Exact size of the delivered pictures.
  public var size: FrameSize?
  /// How pictures of another shape fill `size`; `nil`: only sizes of their own shape are possible.
  public var gravity: VideoGravity?
  /// Frames a second, 0.001…1000.
  public var rate: Double?
  /// The quality of the JPEG, 1…100.
  public var quality: Int?
  /// The resolution of colour in the JPEG.
  public var subsampling: ChromaSubsampling?
  /// The transform of the connection between camera and output, digital zoom included.
  public var transform: PictureTransform
  /// For a photo: a camera's own JPEG is decoded before it is delivered, and refused if it is damaged inside.
  public var isChecked: Bool
  /// For a photo: it is taken even where the camera's input has no signal.
  public var allowsNoSignal: Bool
  /// For a photo: how long it waits at most until the camera has settled, up to ``longestSettling``; zero: not at all, `nil`: ``PhotoSettling/usualBound``.
  public var settling: Duration?
  /// For a photo: the flash, in place of the camera's flash mode.
  public var flash: LightMode?
  /// For a photo: texts for its EXIF.
  public var tags: [PhotoTag: String] = [:]
  /// For a photo: the name of the shot to which it belongs (`ShotName`).
  public var shot: String?
  /// For a photo: its place among those that are taken together. The node sets it.
  public var sequence: SequenceMember?
  /// For a photo: EXIF and XMP are written into it.
  public var hasMetadata = true

  /// The longest time that a photo may wait until the camera has settled.
  public static let longestSettling = Duration.seconds(30)

  public init(
    encoding: Encoding = .jpeg, pixelFormat: PixelFormat? = nil, sourcePixelFormat: PixelFormat? = nil,
    size: FrameSize? = nil,
    gravity: VideoGravity? = nil, rate: Double? = nil, quality: Int? = nil,
    subsampling: ChromaSubsampling? = nil, transform: PictureTransform = .identity,
    isChecked: Bool = true, allowsNoSignal: Bool = false, settling: Duration? = nil, flash: LightMode? = nil
  ) {
    self.encoding = encoding
    self.pixelFormat = pixelFormat
    self.sourcePixelFormat = sourcePixelFormat
    self.size = size
    self.gravity = gravity
    self.rate = rate
    self.quality = quality
    self.subsampling = subsampling
    self.transform = transform
    self.isChecked = isChecked
    self.allowsNoSignal = allowsNoSignal
    self.settling = settling
    self.flash = flash
  }

  /// Whether only the node's encoder can serve the request.
  package var requiresEncoding: Bool { encoding == .jpeg && (quality != nil || subsampling != nil) }

  /// The target that a request for raw frames names as its pixel format; `nil`: it names none.
  package var target: PixelTarget? { encoding == .raw ? pixelFormat.flatMap(PixelTarget.init) : nil }

  /// The size that the camera's own pictures must have; `nil` where any will do.
  package var sourceSize: FrameSize? { gravity == nil ? size.flatMap(transform.sourceSize) : nil }
}

/// Chroma resolution of an encoded JPEG.
public enum ChromaSubsampling: Hashable, Sendable {
  /// 4:2:2: half horizontally.
  case s422
  /// 4:2:0: half both ways.
  case s420
}
