import CaptureImaging
import CaptureModel

/// The description of a synthetic camera: `synthetic`, or `synthetic:1920x1080@60`; with a lens and a sensor: `synthetic:physics`.
public struct SyntheticSpec: Hashable, Sendable {
  /// The preferred size, which is offered first.
  public var size: FrameSize
  /// The frame interval where the request names none.
  public var interval: FrameInterval
  /// Whether no sizes larger than ``size`` are offered. Smaller ones always are.
  public var isSizeFixed: Bool
  /// The options of a camera with physics; `nil`: the camera shows a scene with the time and the frame's number.
  package var physics: PhysicsOptions?

  public static let smallest = FrameSize(width: 160, height: 120)
  public static let largest = FrameSize(width: 3840, height: 2160)
  /// The largest size of a camera with physics.
  public static let largestPhysics = FrameSize(width: 1280, height: 720)

  /// 1280x720 at 30 frames a second, and every other size on request.
  public static let standard = SyntheticSpec(
    size: FrameSize(width: 1280, height: 720), interval: FrameInterval(numerator: 1, denominator: 30)!,
    isSizeFixed: false)

  /// A camera with a lens and a sensor, 640x480 at 30 frames a second.
  package static func physics(
    _ options: PhysicsOptions = PhysicsOptions(), size: FrameSize = FrameSize(width: 640, height: 480),
    interval: FrameInterval = standard.interval
  ) -> SyntheticSpec {
    SyntheticSpec(size: size, interval: interval, isSizeFixed: false, physics: options)
  }

  /// The names of the camera's inputs. A camera with physics has one. Others have two, which show the same picture.
  var inputNames: [String] { physics == nil ? ["Synthetic 0", "Synthetic 1"] : ["Synthetic"] }

  /// Reads `synthetic[:WxH][@FPS]` and `synthetic:physics[:WxH][@FPS][,OPTION…]`. Throws `invalidArgument`, which says what is wrong and what is
  /// possible. `nil`: the text does not begin like the description of a synthetic camera.
  public static func parse(_ text: String) throws(CaptureError) -> SyntheticSpec? {
    guard text == "synthetic" || text.hasPrefix("synthetic:") || text.hasPrefix("synthetic@") else {
      return nil
    }
    if text.hasSuffix(":") || text.hasSuffix("@") || text.hasSuffix(",") {
      throw wrong(text, "something is missing at its end")
    }
    var spec = standard
    var rest = text.dropFirst("synthetic".count)
    if rest.hasPrefix(":physics"), [":", "@", ",", nil].contains(rest.dropFirst(":physics".count).first) {
      rest = rest.dropFirst(":physics".count)
      var options = PhysicsOptions()
      let words = rest.split(separator: ",", omittingEmptySubsequences: false)
      for word in words.dropFirst() {
        if let mistake = options.take(String(word)) { throw wrong(text, mistake) }
      }
      rest = words[0]
      spec = physics(options)
    }
    if rest.first == ":" { rest = rest.dropFirst() }
    let parts = rest.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { throw wrong(text, "there are two rates") }
    if let first = parts.first, !first.isEmpty {
      guard let size = FrameSize(String(first)) else { throw wrong(text, "\"\(first)\" is no size") }
      let largest = spec.physics == nil ? largest : largestPhysics
      guard size.width >= smallest.width, size.height >= smallest.height, size.width <= largest.width,
        size.height <= largest.height
      else { throw wrong(text, "sizes go from \(smallest) to \(largest)") }
      guard size.width % 2 == 0, size.height % 2 == 0 else {
        throw wrong(text, "width and height have to be even")
      }
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
    let pattern =
      text.hasPrefix("synthetic:physics")
      ? "synthetic:physics:640x480@30,manual,delay=2" : "synthetic:1280x720@30"
    let optional = text.hasPrefix("synthetic:physics") ? "all after physics" : "size and rate"
    return CaptureError(
      .invalidArgument, "camera \"\(text)\": \(what); write it as \(pattern), \(optional) optional")
  }

  /// The sizes that the camera offers, ``size`` first.
  var sizes: [FrameSize] {
    let largest = isSizeFixed ? size : physics == nil ? Self.largest : Self.largestPhysics
    let usual = [
      (160, 120), (320, 240), (640, 360), (640, 480), (800, 600), (1280, 720), (1920, 1080), (2560, 1440),
      (3840, 2160),
    ].map { FrameSize(width: $0.0, height: $0.1) }
    return [size]
      + usual.filter { $0 != size && $0.width <= largest.width && $0.height <= largest.height }
  }

  /// Every format at every size, at 1 to 120 frames a second.
  var formats: [FormatDescription] {
    let intervals = IntervalOptions.range(
      minimum: FrameInterval(numerator: 1, denominator: 120)!,
      maximum: FrameInterval(numerator: 1, denominator: 1)!, step: nil)
    let options = sizes.map { SizeOption(discrete: $0, intervals: intervals) }
    let yuyv = FormatDescription(pixelFormat: .yuyv, description: "YUYV 4:2:2", sizes: options)
    if physics != nil {
      return [yuyv, FormatDescription(pixelFormat: .grey, description: "8-bit Greyscale", sizes: options)]
    }
    return [
      yuyv,
      FormatDescription(pixelFormat: .nv12, description: "Y/UV 4:2:0", sizes: options),
      FormatDescription(pixelFormat: .mjpeg, description: "Motion-JPEG", isCompressed: true, sizes: options),
      FormatDescription(pixelFormat: .rggb8, description: "8-bit Bayer RGRG/GBGB", sizes: options),
    ]
  }

  /// The format of a stream in one of ``formats``.
  func streamFormat(_ request: StreamRequest, interval: FrameInterval) -> StreamFormat {
    let size = request.size
    let planes: [PlaneLayout] =
      if request.pixelFormat == .grey {
        [PlaneLayout(stride: size.width, bytes: size.area)]
      } else if let layout = RawLayout(request.pixelFormat) {
        [PlaneLayout(stride: layout.stride(size), bytes: layout.bytes(size))]
      } else {
        []
      }
    // Samples of a JPEG use the full range, and so do a sensor's. Raw Y'CbCr has the narrower range that is usual for cameras.
    let isBayer = request.pixelFormat == .rggb8
    let color = ColorDescription(
      matrix: isBayer ? .identity : .rec601, isFullRange: isBayer || request.pixelFormat.isJPEG)
    return StreamFormat(
      pixelFormat: request.pixelFormat, size: size, interval: interval, planes: planes, color: color)
  }
}
