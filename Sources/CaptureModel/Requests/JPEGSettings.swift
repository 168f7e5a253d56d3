/// One way of encoding a stream. Subscriptions with equal settings share one encode.
public struct JPEGSettings: Hashable, Sendable {
  /// The size of the JPEG, after turning.
  public var size: FrameSize
  /// 1…100.
  public var quality: Int
  /// `nil`: that of the source, at most 4:2:2.
  public var subsampling: ChromaSubsampling?
  public var transform: PictureTransform
  /// Whether a camera's JPEG is turned without decoding where that is possible. It then keeps its quality, whatever `quality` says.
  public var isLosslessPreferred: Bool
  /// Whether a camera's JPEG is decoded at a part of its size, where the picture needs no more. That is quicker, and makes the picture a little
  /// softer.
  public var decodesPart = false

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

  /// The quality of live frames, where the request names none.
  public static let videoQuality = 80
  /// The quality of photos, where the request names none.
  public static let photoQuality = 92
  /// The quality of previews and thumbnails.
  public static let previewQuality = 75
}
