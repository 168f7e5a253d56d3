import CYUV
import CaptureModel
import CaptureSystem

/// A picture that is being painted: B G R A in memory, colours premultiplied by A.
package final class Bitmap {
  package let width: Int
  package let height: Int
  /// 0xAARRGGBB, row by row.
  package let pixels: UnsafeMutablePointer<UInt32>

  /// Makes a transparent bitmap.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
    pixels = PictureMemory.allocate(width * height * 4).bindMemory(to: UInt32.self, capacity: width * height)
  }

  deinit { PictureMemory.free(pixels, count: width * height * 4) }

  /// The bytes of a row.
  package var stride: Int { width * 4 }
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: pixels, count: stride * height) }

  package subscript(x: Int, y: Int) -> UInt32 {
    get { pixels[y * width + x] }
    set { pixels[y * width + x] = newValue }
  }

  /// Copies `area` of `source`, at most as large as this bitmap, to the top left corner.
  package func copy(_ area: PixelArea, of source: Bitmap) {
    for row in 0..<area.height {
      (pixels + row * width).update(
        from: source.pixels + (area.y + row) * source.width + area.x, count: area.width)
    }
  }

  /// Blends `other` over this bitmap, with its top left corner at `x`, `y`. The part outside is cut off.
  package func blend(_ other: Bitmap, x: Int, y: Int) {
    let (left, top) = (max(x, 0), max(y, 0))
    let (right, bottom) = (min(x + other.width, width), min(y + other.height, height))
    guard left < right, top < bottom else { return }
    let source = UnsafeMutableRawPointer(other.pixels + (top - y) * other.width + (left - x))
    let target = UnsafeMutableRawPointer(pixels + top * width + left)
    ARGBBlend(
      source.assumingMemoryBound(to: UInt8.self), Int32(other.stride),
      target.assumingMemoryBound(to: UInt8.self), Int32(stride),
      target.assumingMemoryBound(to: UInt8.self), Int32(stride),
      Int32(right - left), Int32(bottom - top))
  }

  /// Replaces each colour by its entry in `curve`, in the first `width` x `height` pixels.
  package func apply(_ curve: ToneCurve, width: Int, height: Int) {
    let target = UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt8.self)
    ARGBColorTable(target, Int32(stride), curve.table, 0, 0, Int32(width), Int32(height))
  }
}

/// Maps each value of a colour to another one.
package struct ToneCurve: Sendable {
  /// Four entries for each value: B G R A. Alpha is kept.
  fileprivate let table: [UInt8]

  package init(_ curve: (Int) -> Int) {
    table = (0..<256).flatMap { value in
      let result = UInt8(clamping: curve(value))
      return [result, result, result, UInt8(value)]
    }
  }
}
