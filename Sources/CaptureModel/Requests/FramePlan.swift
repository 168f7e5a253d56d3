/// How a subscription gets its frames from a stream.
public struct FramePlan: Hashable, Sendable {
  public enum Delivery: Hashable, Sendable {
    /// The camera's bytes.
    case untouched
    case jpeg(JPEGSettings)
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
  public var size: FrameSize
  /// 1…100.
  public var quality: Int
  /// `nil`: what the source has, at most 4:2:2.
  public var subsampling: ChromaSubsampling?

  public init(size: FrameSize, quality: Int, subsampling: ChromaSubsampling? = nil) {
    self.size = size
    self.quality = quality
    self.subsampling = subsampling
  }

  /// Of live frames, when not asked.
  public static let videoQuality = 80
  /// Of photos, when not asked.
  public static let photoQuality = 92
}
