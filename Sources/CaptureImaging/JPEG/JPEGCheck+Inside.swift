import CTurboJPEG
import CaptureModel

extension JPEGCheck {
  /// What is damaged inside a picture whose markers are whole; `nil` where nothing shows. All of its coefficients are read, and little is made of
  /// them: 2 to 5 ms at 1920x1080. What only has other values than the camera meant does not show.
  public static func damage(inside bytes: UnsafeRawBufferPointer, size: FrameSize) -> String? {
    let count: Int
    switch JPEGCheck(bytes, size: size) {
    case .whole(let whole): count = whole
    case .damaged(let reason): return reason
    }
    // An eighth of the size, grey: the least that a decoder makes of any subsampling.
    let (width, height) = ((size.width + 7) / 8, (size.height + 7) / 8)
    let target = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height)
    defer { target.deallocate() }
    do throws(CaptureError) {
      try TurboJPEGHandle.decompressor().call("damaged JPEG", failing: .dataLoss, accepting: isPadding) {
        tjDecompress2(
          $0, bytes.bindMemory(to: UInt8.self).baseAddress!, UInt(count), target, Int32(width), 0,
          Int32(height), TJPF_GRAY.rawValue, TJFLAG_STOPONWARNING)
      }
      return nil
    } catch {
      return error.message
    }
  }

  /// Whether a decoder's first warning says that a few bytes lie between the picture's data and its end, which all was read until then: some
  /// cameras fill up so. "Corrupt JPEG data: 2 extraneous bytes before marker 0xd9"
  static func isPadding(_ warning: String) -> Bool {
    guard warning.hasSuffix("extraneous bytes before marker 0xd9"),
      let count = warning.split(separator: " ").lazy.compactMap({ Int($0) }).first
    else { return false }
    return count < mostPadding
  }

  /// Bytes; more are a part of the picture that was not understood.
  private static let mostPadding = 16
}
