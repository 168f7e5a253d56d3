/// How a picture's bytes are laid out: a V4L2 four-character code (`V4L2_PIX_FMT_*`).
public struct PixelFormat: RawRepresentable, Hashable, Sendable {
  /// The code, its first character in the least significant byte; bit 31 marks a big-endian variant.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Reads "YUYV". Shorter codes are filled with spaces ("Y10" is "Y10 "), and "-BE" at the end sets bit 31. `nil` if the text is no code.
  public init?(_ text: String) {
    var characters = Array(text.utf8)
    var bigEndian: UInt32 = 0
    if characters.count > 4, text.hasSuffix("-BE") {
      characters.removeLast(3)
      bigEndian = 1 << 31
    }
    guard (1...4).contains(characters.count), characters.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return nil
    }
    while characters.count < 4 { characters.append(0x20) }
    rawValue = characters.reversed().reduce(0) { $0 << 8 | UInt32($1) } | bigEndian
  }

  private init(code: StaticString) {
    rawValue = code.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// 4:2:2 packed, Y U Y V.
  public static let yuyv = PixelFormat(code: "YUYV")
  /// 4:2:2 packed, Y V Y U.
  public static let yvyu = PixelFormat(code: "YVYU")
  /// 4:2:2 packed, U Y V Y.
  public static let uyvy = PixelFormat(code: "UYVY")
  /// 4:2:2 packed, V Y U Y.
  public static let vyuy = PixelFormat(code: "VYUY")
  /// 4:2:0, a Y plane then interleaved U V; one buffer.
  public static let nv12 = PixelFormat(code: "NV12")
  /// 4:2:0, a Y plane then interleaved V U; one buffer.
  public static let nv21 = PixelFormat(code: "NV21")
  /// 4:2:2, a Y plane then interleaved U V; one buffer.
  public static let nv16 = PixelFormat(code: "NV16")
  /// The same as ``nv12``, with each plane in a buffer of its own.
  public static let nv12m = PixelFormat(code: "NM12")
  /// 4:2:0 planar, Y U V; one buffer.
  public static let yu12 = PixelFormat(code: "YU12")
  /// 4:2:0 planar, Y V U; one buffer.
  public static let yv12 = PixelFormat(code: "YV12")
  /// The same as ``yu12``, with each plane in a buffer of its own.
  public static let yu12m = PixelFormat(code: "YM12")
  /// 4:2:2 planar, Y U V; one buffer.
  public static let yuv422p = PixelFormat(code: "422P")
  /// Luminance alone, 8 bits.
  public static let grey = PixelFormat(code: "GREY")
  /// 24 bits: R G B in memory.
  public static let rgb3 = PixelFormat(code: "RGB3")
  /// 24 bits: B G R in memory.
  public static let bgr3 = PixelFormat(code: "BGR3")
  /// 32 bits: B G R X in memory.
  public static let xr24 = PixelFormat(code: "XR24")
  /// 32 bits: B G R A in memory.
  public static let ar24 = PixelFormat(code: "AR24")
  /// Motion JPEG.
  public static let mjpeg = PixelFormat(code: "MJPG")
  /// JFIF JPEG; the node encodes this one.
  public static let jpeg = PixelFormat(code: "JPEG")
  /// Bayer, 8 bits: B G / G R.
  public static let bggr8 = PixelFormat(code: "BA81")
  /// Bayer, 8 bits: G B / R G.
  public static let gbrg8 = PixelFormat(code: "GBRG")
  /// Bayer, 8 bits: G R / B G.
  public static let grbg8 = PixelFormat(code: "GRBG")
  /// Bayer, 8 bits: R G / G B.
  public static let rggb8 = PixelFormat(code: "RGGB")

  /// Whether it is a JPEG that the camera made.
  public var isJPEG: Bool { self == .mjpeg || self == .jpeg }
}

extension PixelFormat: CustomStringConvertible {
  /// "YUYV"; a character that cannot be printed shows as '.'.
  public var description: String {
    var text = ""
    for shift in [0, 8, 16, 24] as [UInt32] {
      let byte = UInt8(truncatingIfNeeded: (rawValue & 0x7FFF_FFFF) >> shift)
      text.append((0x20...0x7E).contains(byte) ? Character(Unicode.Scalar(byte)) : ".")
    }
    while text.last == " " { text.removeLast() }
    return rawValue >> 31 == 1 ? text + "-BE" : text
  }
}
