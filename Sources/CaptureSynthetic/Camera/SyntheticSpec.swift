import CaptureModel

/// What a synthetic camera gives: `synthetic`, or `synthetic:1920x1080@60`.
public struct SyntheticSpec: Hashable, Sendable {
  /// The largest picture, and the first one offered.
  public var size: FrameSize
  /// The rate where none is asked.
  public var interval: FrameInterval
  /// Sizes below ``size`` are offered too, and above it where it was not named.
  public var isSizeFixed: Bool

  public static let smallest = FrameSize(width: 160, height: 120)
  public static let largest = FrameSize(width: 3840, height: 2160)

  /// 1280x720 at 30 frames a second, and every other size on request.
  public static let standard = SyntheticSpec(
    size: FrameSize(width: 1280, height: 720), interval: FrameInterval(numerator: 1, denominator: 30)!,
    isSizeFixed: false)

  /// Reads `synthetic[:WxH][@FPS]`; throws `invalidArgument` that says what is wrong and possible. `nil`: does not begin as one.
  public static func parse(_ text: String) throws(CaptureError) -> SyntheticSpec? {
    guard text == "synthetic" || text.hasPrefix("synthetic:") || text.hasPrefix("synthetic@") else {
      return nil
    }
    var spec = standard
    var rest = text.dropFirst("synthetic".count)
    if rest.first == ":" { rest = rest.dropFirst() }
    if text.hasSuffix(":") || text.hasSuffix("@") { throw wrong(text, "something is missing at its end") }
    let parts = rest.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { throw wrong(text, "there are two rates") }
    if let first = parts.first, !first.isEmpty {
      guard let size = FrameSize(String(first)) else { throw wrong(text, "\"\(first)\" is no size") }
      guard size.width >= smallest.width, size.height >= smallest.height, size.width <= largest.width,
        size.height <= largest.height
      else { throw wrong(text, "sizes go from \(smallest) to \(largest)") }
      guard size.width % 2 == 0, size.height % 2 == 0 else { throw wrong(text, "width and height are even") }
      (spec.size, spec.isSizeFixed) = (size, true)
    }
    if parts.count == 2 {
      guard let rate = Double(parts[1]), rate >= 1, rate <= 120, let interval = FrameInterval(rate: rate)
      else {
        throw wrong(text, "\"\(parts[1])\" is no rate; rates go from 1 to 120")
      }
      spec.interval = interval
    }
    return spec
  }

  private static func wrong(_ text: String, _ what: String) -> CaptureError {
    CaptureError(
      .invalidArgument,
      "camera \"\(text)\": \(what); write it as synthetic:1280x720@30, size and rate optional")
  }

  /// Sizes that the camera offers, the one it is made for first.
  var sizes: [FrameSize] {
    let usual = [
      (160, 120), (320, 240), (640, 360), (640, 480), (800, 600), (1280, 720), (1920, 1080), (2560, 1440),
      (3840, 2160),
    ].map { FrameSize(width: $0.0, height: $0.1) }
    return [size]
      + usual.filter {
        $0 != size && (!isSizeFixed || ($0.width <= size.width && $0.height <= size.height))
      }
  }

  /// Every format at every size, at 1 to 120 frames a second.
  var formats: [FormatDescription] {
    let intervals = IntervalOptions.range(
      minimum: FrameInterval(numerator: 1, denominator: 120)!,
      maximum: FrameInterval(numerator: 1, denominator: 1)!, step: nil)
    let options = sizes.map { SizeOption(discrete: $0, intervals: intervals) }
    return [
      FormatDescription(pixelFormat: .yuyv, description: "YUYV 4:2:2", sizes: options),
      FormatDescription(pixelFormat: .nv12, description: "Y/UV 4:2:0", sizes: options),
      FormatDescription(pixelFormat: .mjpeg, description: "Motion-JPEG", isCompressed: true, sizes: options),
      FormatDescription(pixelFormat: .rggb8, description: "8-bit Bayer RGRG/GBGB", sizes: options),
    ]
  }
}
