/// A rectangle of pixels.
package struct PixelArea: Hashable, Sendable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  package var size: FrameSize { FrameSize(width: width, height: height) }

  /// The smallest area around this one inside `size` (even) whose edges are even: chroma samples and Bayer squares stay whole.
  package func aligned(in size: FrameSize) -> PixelArea {
    let (left, top) = (min(max(x, 0), size.width) & ~1, min(max(y, 0), size.height) & ~1)
    let right = (min(max(x + width, 0), size.width) + 1) & ~1
    let bottom = (min(max(y + height, 0), size.height) + 1) & ~1
    return PixelArea(x: left, y: top, width: max(right - left, 0), height: max(bottom - top, 0))
  }
}
