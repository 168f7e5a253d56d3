/// A rectangle of pixels.
public struct PixelArea: Hashable, Sendable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  public init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  public var size: FrameSize { FrameSize(width: width, height: height) }

  /// The smallest area around this one, inside `size` (even), whose edges are even, so that chroma samples and Bayer squares stay whole.
  package func aligned(in size: FrameSize) -> PixelArea {
    let (left, top) = (min(max(x, 0), size.width) & ~1, min(max(y, 0), size.height) & ~1)
    let right = (min(max(x + width, 0), size.width) + 1) & ~1
    let bottom = (min(max(y + height, 0), size.height) + 1) & ~1
    return PixelArea(x: left, y: top, width: max(right - left, 0), height: max(bottom - top, 0))
  }
}
