/// How a subscription gets its frames from a stream.
public struct FramePlan: Hashable, Sendable {
  public enum Delivery: Hashable, Sendable {
    /// The camera's bytes.
    case untouched
    case jpeg(JPEGSettings)
    /// The camera's pixel format, cut, turned or mirrored.
    case raw(RawSettings)
  }

  public var delivery: Delivery
  /// Frames a second to thin to; `nil`: every frame.
  public var rate: Double?

  public init(delivery: Delivery, rate: Double? = nil) {
    self.delivery = delivery
    self.rate = rate
  }
}

/// One way of encoding a stream. Subscriptions with equal settings share one encode.
public struct JPEGSettings: Hashable, Sendable {
  /// Of the JPEG: after turning.
  public var size: FrameSize
  /// 1…100.
  public var quality: Int
  /// `nil`: what the source has, at most 4:2:2.
  public var subsampling: ChromaSubsampling?
  public var transform: PictureTransform
  /// A camera's JPEG is turned without decoding it where that is possible: as good as it was, whatever `quality` says.
  public var isLosslessPreferred: Bool

  public init(
    size: FrameSize, quality: Int, subsampling: ChromaSubsampling? = nil,
    transform: PictureTransform = .identity, isLosslessPreferred: Bool = false
  ) {
    self.size = size
    self.quality = quality
    self.subsampling = subsampling
    self.transform = transform
    self.isLosslessPreferred = isLosslessPreferred
  }

  /// Of live frames, when not asked.
  public static let videoQuality = 80
  /// Of photos, when not asked.
  public static let photoQuality = 92
}
