/// What somebody wants from a camera, live or as a photo. `nil` leaves a choice to the node.
public struct VideoRequest: Hashable, Sendable {
  public enum Encoding: Hashable, Sendable {
    /// The camera's own JPEG untouched where it delivers that and nothing else was asked, else encoded by the node.
    case jpeg
    /// The camera's bytes as they are, or turned as `transform` says.
    case raw
  }

  public var encoding: Encoding
  /// The camera's format to deliver (raw) or to encode from (JPEG).
  public var pixelFormat: PixelFormat?
  /// Exact size of the delivered pictures.
  public var size: FrameSize?
  /// Frames a second, 0.001…1000.
  public var rate: Double?
  /// Of the JPEG, 1…100.
  public var quality: Int?
  public var subsampling: ChromaSubsampling?
  /// What the connection between camera and output does to each picture, digital zoom included.
  public var transform: PictureTransform
  /// Of a photo: a camera's own JPEG is decoded before it is delivered, and one that is damaged inside is not.
  public var isChecked: Bool
  /// Of a photo: it is taken also where the camera's input has no signal.
  public var allowsNoSignal: Bool
  /// Of a photo: how long it waits at most until the camera has settled, up to ``longestSettling``; zero: not at all, `nil`: ``PhotoSettling/usualBound``.
  public var settling: Duration?

  /// A photo waits no longer for that.
  public static let longestSettling = Duration.seconds(30)

  public init(
    encoding: Encoding = .jpeg, pixelFormat: PixelFormat? = nil, size: FrameSize? = nil, rate: Double? = nil,
    quality: Int? = nil, subsampling: ChromaSubsampling? = nil, transform: PictureTransform = .identity,
    isChecked: Bool = true, allowsNoSignal: Bool = false, settling: Duration? = nil
  ) {
    self.encoding = encoding
    self.pixelFormat = pixelFormat
    self.size = size
    self.rate = rate
    self.quality = quality
    self.subsampling = subsampling
    self.transform = transform
    self.isChecked = isChecked
    self.allowsNoSignal = allowsNoSignal
    self.settling = settling
  }

  /// Asks for something that only an encoder of ours can do.
  var requiresEncoding: Bool { encoding == .jpeg && (quality != nil || subsampling != nil) }

  /// The size the camera's own pictures must have; `nil` where any does.
  package var sourceSize: FrameSize? { size.flatMap(transform.sourceSize) }
}

/// Chroma resolution of an encoded JPEG.
public enum ChromaSubsampling: Hashable, Sendable {
  /// 4:2:2: half horizontally.
  case s422
  /// 4:2:0: half both ways.
  case s420
}
