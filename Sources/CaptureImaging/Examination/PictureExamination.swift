import CTurboJPEG
public import CaptureModel

/// What the node finds out about a picture in a file: its size, and a small JPEG of it. A JPEG or a PNG is read whole, so that damage is found; of a
/// DNG only the directories are checked.
public struct PictureExamination: Sendable {
  /// The picture's size as its file says, before any orientation in its EXIF.
  public var size: FrameSize
  /// A JPEG whose sides have at most ``longestSide`` pixels; empty: none can be made of this picture.
  public var thumbnail: [UInt8] = []
  public var thumbnailSize = FrameSize(width: 0, height: 0)

  /// The longest side of a thumbnail in pixels.
  public static let longestSide = 160
  /// Pictures with more pixels than this are not decoded: each pixel takes memory and time.
  static let mostPixels = 100_000_000
  /// Progressive JPEGs with more pixels than this are refused: a decoder keeps all their coefficients in memory.
  private static let mostProgressivePixels = 20_000_000

  /// Reads a JPEG of any kind that libjpeg-turbo reads. Throws `invalidArgument`, whose message says what is wrong.
  public init(jpeg bytes: UnsafeRawBufferPointer) throws(CaptureError) {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else {
      throw Self.refusal("it does not begin as a JPEG")
    }
    let data = bytes.bindMemory(to: UInt8.self).baseAddress!
    var handle = TurboJPEGHandle.decompressor()
    var (width, height, subsampling, colorspace) = (Int32(0), Int32(0), Int32(-1), Int32(-1))
    do throws(CaptureError) {
      try handle.call("it cannot be read", failing: .invalidArgument) {
        tjDecompressHeader3($0, data, UInt(bytes.count), &width, &height, &subsampling, &colorspace)
      }
    } catch {
      throw Self.refusal(error.message)
    }
    guard width > 0, height > 0 else { throw Self.refusal("it has no size") }
    size = FrameSize(width: Int(width), height: Int(height))
    guard size.area <= Self.mostPixels else {
      throw Self.refusal("it has more than \(Self.mostPixels) pixels")
    }
    if Self.isProgressive(bytes), size.area > Self.mostProgressivePixels {
      throw Self.refusal("it is progressive, and has more than \(Self.mostProgressivePixels) pixels")
    }
    guard Self.endsAsJPEG(bytes) else { throw Self.refusal("it is truncated: no end of image") }
    let divisor = [Int32(8), 4, 2].first { max(width, height) / $0 >= Self.longestSide } ?? 1
    let small = FrameSize(
      width: Int((width + divisor - 1) / divisor), height: Int((height + divisor - 1) / divisor))
    var pixels = [UInt8](repeating: 0, count: small.area * 3)
    do throws(CaptureError) {
      try handle.call("it is damaged", failing: .invalidArgument, accepting: JPEGCheck.isPadding) {
        tjDecompress2(
          $0, data, UInt(bytes.count), &pixels, Int32(small.width), 0, Int32(small.height), TJPF_RGB.rawValue,
          TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS)
      }
    } catch {
      throw Self.refusal(error.message)
    }
    (thumbnail, thumbnailSize) = try Self.thumbnail(of: pixels, small)
  }

  private static func refusal(_ what: String) -> CaptureError {
    CaptureError(.invalidArgument, what, .init(.contentMismatch, field: "resource.media_type"))
  }

  private static func endsAsJPEG(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var count = bytes.count
    while count > 4, bytes[count - 1] == 0 { count -= 1 }
    return bytes[count - 2] == 0xFF && bytes[count - 1] == 0xD9
  }

  /// Whether a frame header says that the JPEG is progressive (SOF2, SOF6, SOF10, SOF14).
  private static func isProgressive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      if marker == 0xFF {
        offset += 1
        continue
      }
      if marker == 0xDA { return false }
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) { return marker & 3 == 2 }
      offset += 2 + (Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
    }
    return false
  }

  /// Makes the thumbnail of RGB pixels. Each pixel of the thumbnail is the mean of the pixels that it covers.
  private static func thumbnail(
    of pixels: [UInt8], _ size: FrameSize
  ) throws(CaptureError) -> ([UInt8], FrameSize) {
    let target = thumbnailSize(of: size)
    var small = [UInt8](repeating: 0, count: target.area * 3)
    for y in 0..<target.height {
      let rows = (y * size.height / target.height)..<((y + 1) * size.height / target.height)
      for x in 0..<target.width {
        let columns = (x * size.width / target.width)..<((x + 1) * size.width / target.width)
        var (red, green, blue) = (0, 0, 0)
        for row in rows {
          for column in columns {
            let place = (row * size.width + column) * 3
            red += Int(pixels[place])
            green += Int(pixels[place + 1])
            blue += Int(pixels[place + 2])
          }
        }
        let count = rows.count * columns.count
        let place = (y * target.width + x) * 3
        (small[place], small[place + 1], small[place + 2]) = (
          UInt8(red / count), UInt8(green / count), UInt8(blue / count)
        )
      }
    }
    return (try jpeg(of: small, target), target)
  }

  /// The size of a picture's thumbnail.
  static func thumbnailSize(of size: FrameSize) -> FrameSize {
    let longest = max(size.width, size.height)
    if longest <= longestSide { return size }
    return FrameSize(
      width: max(1, size.width * longestSide / longest), height: max(1, size.height * longestSide / longest))
  }

  /// Encodes a thumbnail of RGB pixels.
  static func jpeg(of pixels: [UInt8], _ size: FrameSize) throws(CaptureError) -> [UInt8] {
    var (jpeg, length): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
    defer { tjFree(jpeg) }
    var handle = TurboJPEGHandle.compressor()
    try handle.call("the thumbnail cannot be made", failing: .internal) {
      tjCompress2(
        $0, pixels, Int32(size.width), 0, Int32(size.height), TJPF_RGB.rawValue, &jpeg, &length,
        Int32(TJSAMP_420.rawValue), 75, 0)
    }
    return Array(UnsafeBufferPointer(start: jpeg, count: Int(length)))
  }
}
