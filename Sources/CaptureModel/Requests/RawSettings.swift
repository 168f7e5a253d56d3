/// One way of turning a stream's raw frames. Subscriptions with equal settings share the work.
public struct RawSettings: Hashable, Sendable {
  public var size: FrameSize
  public var transform: PictureTransform

  public init(size: FrameSize, transform: PictureTransform) {
    self.size = size
    self.transform = transform
  }
}
