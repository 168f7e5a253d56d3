import CTurboJPEG
import CaptureModel

extension Bitmap {
  /// Decodes a small JPEG. Throws `dataLoss` for bytes that are no JPEG, and for more than a million pixels.
  package static func decoding(_ jpeg: UnsafeRawBufferPointer) throws(CaptureError) -> Bitmap {
    var handle = TurboJPEGHandle.decompressor()
    guard let data = jpeg.bindMemory(to: UInt8.self).baseAddress else {
      throw CaptureError(.dataLoss, "a JPEG of no bytes")
    }
    var (width, height, subsampling, colorspace) = (Int32(0), Int32(0), Int32(-1), Int32(-1))
    try handle.call("damaged JPEG", failing: .dataLoss) {
      tjDecompressHeader3($0, data, UInt(jpeg.count), &width, &height, &subsampling, &colorspace)
    }
    guard width > 0, height > 0, Int(width) * Int(height) <= 1_000_000 else {
      throw CaptureError(.dataLoss, "a JPEG of \(width)x\(height), which is not small")
    }
    let bitmap = Bitmap(width: Int(width), height: Int(height))
    let pixels = UnsafeMutableRawPointer(bitmap.pixels).assumingMemoryBound(to: UInt8.self)
    try handle.call("damaged JPEG", failing: .dataLoss) {
      tjDecompress2(
        $0, data, UInt(jpeg.count), pixels, width, 0, height, TJPF_BGRA.rawValue, TJFLAG_LIMITSCANS)
    }
    return bitmap
  }

  /// Fills the whole bitmap.
  package func fill(_ pixel: UInt32) { pixels.update(repeating: pixel, count: width * height) }
}
