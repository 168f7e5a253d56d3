import CaptureModel
import CaptureSystem

/// Makes frames in memory that is used again.
extension Scratch {
  /// Returns a frame with the time and number of `source` in another pixel format. `fill` gets the memory of a row of the first plane, and the row's
  /// number. Behind that plane there is room for the others, each of the same size: `fill` writes their rows too.
  func frame(
    _ source: Frame, _ pixelFormat: PixelFormat, rowBytes: Int, planes: Int = 1,
    _ fill: (UnsafeMutablePointer<UInt8>, Int) -> Void
  ) -> Frame {
    let height = source.format.size.height
    let base = bytes(rowBytes * height * planes)
    for y in 0..<height { fill(base + y * rowBytes, y) }
    return frame(source, pixelFormat, stride: rowBytes, count: rowBytes * height * planes)
  }

  /// Returns a frame with the time and number of `source` in another pixel format. Its bytes are the first `count` bytes of this memory.
  func frame(
    _ source: Frame, _ pixelFormat: PixelFormat, stride: Int, count: Int, isFullRange: Bool? = nil
  ) -> Frame {
    var format = source.format
    if let isFullRange { format.color.isFullRange = isFullRange }
    format.pixelFormat = pixelFormat
    format.planes = [PlaneLayout(stride: stride, bytes: count)]
    let bytes = UnsafeRawBufferPointer(start: bytes(count), count: count)
    return Frame(
      payload: Payload(lending: bytes) {}, format: format, sequence: source.sequence,
      timestamp: source.timestamp, discontinuity: source.discontinuity)
  }
}
