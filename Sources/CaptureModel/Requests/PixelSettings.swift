/// One way of converting a stream's frames into a pixel format. Subscriptions with equal settings share the work.
public struct PixelSettings: Hashable, Sendable {
  public var target: PixelTarget
  /// The size of the picture, after turning.
  public var size: FrameSize
  public var transform: PictureTransform
  /// Whether a camera's JPEG is decoded at a part of its size, where the picture needs no more. That is quicker, and makes the picture a little
  /// softer.
  public var decodesPart = false

  public init(target: PixelTarget, size: FrameSize, transform: PictureTransform = .identity) {
    self.target = target
    self.size = size
    self.transform = transform
  }
}
