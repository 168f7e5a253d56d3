import CTurboJPEG
import CaptureModel

extension JPEGCheck {
  /// Finds damage in a picture's markers and in its coefficients; `nil`: none shows. All coefficients are read, but only a small picture is made of
  /// them, which takes 2 to 5 ms at 1920x1080. Coefficients that are valid, but not those that the camera meant, are not found.
  public static func damage(inside bytes: UnsafeRawBufferPointer, size: FrameSize) -> String? {
    let count: Int
    switch JPEGCheck(bytes, size: size) {
    case .whole(let whole): count = whole
    case .damaged(let reason): return reason
    }
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<count])
    if let zeros = zeros(inside: bytes) { return "damaged JPEG: \(zeros)" }
    // An eighth of the size, in grey: the least that a decoder makes for any subsampling.
    let (width, height) = ((size.width + 7) / 8, (size.height + 7) / 8)
    let target = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height)
    defer { target.deallocate() }
    do throws(CaptureError) {
      let isFiller = { isPadding($0) && isFilled(bytes, before: $0) }
      var handle = TurboJPEGHandle.decompressor()
      try handle.call("damaged JPEG", failing: .dataLoss, accepting: isFiller) {
        tjDecompress2(
          $0, bytes.bindMemory(to: UInt8.self).baseAddress!, UInt(count), target, Int32(width), 0,
          Int32(height), TJPF_GRAY.rawValue, TJFLAG_STOPONWARNING)
      }
      return nil
    } catch {
      return error.message
    }
  }

  /// Whether a decoder's first warning is only about a few bytes between the picture's data and its end. Some cameras put filler there, and the
  /// decoder has read everything before it. The warning reads "Corrupt JPEG data: 2 extraneous bytes before marker 0xd9".
  static func isPadding(_ warning: String) -> Bool {
    guard warning.hasSuffix("extraneous bytes before marker 0xd9"),
      let count = warning.split(separator: " ").lazy.compactMap({ Int($0) }).first
    else { return false }
    return count < mostPadding
  }

  /// Whether the bytes that a decoder warned of are all equal, as a camera's filler is. Bytes that differ are the rest of a part that the decoder did
  /// not understand.
  private static func isFilled(_ bytes: UnsafeRawBufferPointer, before warning: String) -> Bool {
    guard let count = warning.split(separator: " ").lazy.compactMap({ Int($0) }).first, count > 0,
      bytes.count > count + 2
    else { return true }
    let filler = bytes[(bytes.count - 2 - count)..<(bytes.count - 2)]
    return filler.allSatisfy { $0 == filler.first }
  }

  /// Fewer extraneous bytes than this may be filler. As many or more are a part of the picture that the decoder did not understand.
  private static let mostPadding = 16
}
