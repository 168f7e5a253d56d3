import CaptureClient
import CaptureOptions

/// Keys of the commands that change focus, exposure, white balance, zoom and light.
extension Options {
  static let focusMode = Option(
    "mode", .choice("MODE", FocusMode.words),
    help: "'locked' keeps the focus, 'auto' focuses once and then locks, 'continuous' follows the scene.")
  static let exposureMode = Option(
    "mode", .choice("MODE", ExposureMode.words),
    help:
      "'locked' keeps the exposure, 'auto' meters once and then locks, 'continuous' follows the scene, 'custom' uses --duration "
      + "and --iso.")
  static let whiteBalanceMode = Option(
    "mode", .choice("MODE", WhiteBalanceMode.words),
    help: "'locked' keeps the balance, 'auto' balances once and then locks, 'continuous' follows the light.")
  static let point = Option(
    "at", .point,
    help:
      "The point of interest in the sensor's whole frame, independent of the zoom: 0,0 is its top left, 1,1 its bottom right, 0.5,0.5 "
      + "the centre.")
  static let lens = Option(
    "lens", .finite, help: "Lens position from 0, the nearest, to 1, infinity; locks the focus there.")
  static let focusRange = Option(
    "range", .choice("RANGE", FocusRange.words),
    help: "The distances in which autofocus searches: 'near', 'far' or, with 'none', all.")

  static let exposureDuration = Option(
    "duration", .exposureDuration, help: "Exposure duration in seconds, such as 0.01 or 1/100.")
  static let iso = Option(
    "iso", .finite,
    help: "Sensitivity as ISO. If nobody has configured the ISO of the camera's gain, use --gain.")
  static let gain = Option(
    "gain", .finite, help: "Gain in the driver's own units.")
  static let iris = Option(
    "iris", .finite, help: "Opening of the iris in the driver's own units: more is wider.")
  static let bias = Option(
    "bias", .number("EV", expectation: "a number of EV", { _ in true }),
    help:
      "Make automatic exposure brighter or darker by this many stops: 1, -0.5. It needs the mode 'continuous' or 'auto'."
  )
  /// The options for the numbers of an exposure, each with its setting.
  static let exposureNumbers: [(option: Option<Double>, setting: Setting)] = [
    (exposureDuration, .exposureDuration), (iso, .iso), (gain, .gain), (iris, .iris), (bias, .exposureBias),
  ]

  static let temperature = Option(
    "temperature", .number("K", expectation: "a temperature in kelvin", { _ in true }),
    help: "Colour temperature of the light: 2700 is a warm lamp, 5500 daylight.")
  static let tint = Option(
    "tint", .finite,
    help: "Tint from -150, green, to 150, magenta. Without --temperature the temperature stays as it is.")
  static let gains = Option(
    "gains", .gains, help: "Gains of red, green and blue: 1.8,1,1.4. 'describe' has the camera's range.")
  static let greyWorld = Flag(
    "grey-world", help: "Find, once, the gains that make the mean of the picture grey.")

  static let zoomFactor = Positional(
    .zoomFactor, .optional,
    help: "A zoom factor from 1 to the camera's largest, or 'stop' to end a ramp where it is.")
  static let zoomRate = Option(
    "rate", .number("R", expectation: "a rate", { _ in true }),
    help: "Zoom smoothly, by this many doublings a second, 0.01 to 100. Without it the zoom changes at once.")

  static let minimumFrameDuration = Option(
    "minimum", .frameDuration,
    help: "The shortest frame duration: 1/30 or 0.04 s. With 'none' only the format bounds it.")
  static let maximumFrameDuration = Option(
    "maximum", .frameDuration,
    help: "The longest frame duration. With 'none' only the format bounds it.")

  static let lightMode = Positional(
    .choice("MODE", LightMode.words), .optional,
    help: "off, on, or auto, which is on where the scene is dark.")
  static let level = Option("level", .finite, help: "Brightness from 0 to 1.")

  static let wait = Flag(
    "wait",
    help:
      "Wait until the mode is done or at rest, and the zoom has arrived: 10 s at most, or as --timeout says, besides the time of a smooth zoom. Then "
      + "print the result, and the number and time of the first frame that has it.")
  static let clamp = Flag(
    "clamp",
    help: "Set a value that is out of range to the nearest possible one instead of failing, and say so.")
  static let settingNames = Positional(
    .text("NAME", completion: .names(.settings)), .zeroOrMore,
    help: "A setting, 'focus' or 'exposure.duration', or a control's name. Without any: all.")
}

extension ValueType where Value == Double {
  /// A finite number for which `isRight` returns true.
  static func number(
    _ placeholder: String, expectation: String, _ isRight: @escaping @Sendable (Double) -> Bool
  ) -> Self {
    Self(placeholder, expectation: expectation) { text in
      Double(text).flatMap { $0.isFinite && isRight($0) ? $0 : nil }
    }
  }

  /// A finite number. Only the node knows its range.
  static let finite = number("N", expectation: "a number") { _ in true }

  static let exposureDuration = ValueType(
    "SECONDS", expectation: "seconds, as 0.01 or 1/100"
  ) { text in
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { Double($0) }
    guard let first = parts[0], let divisor = parts.count == 2 ? parts[1] : 1 else { return nil }
    let seconds = first / divisor
    return seconds.isFinite ? seconds : nil
  }

  /// 0 stands for `stop`, as on the wire; no zoom factor is 0.
  static let zoomFactor = ValueType(
    "FACTOR", expectation: "a factor other than 0, or stop", completion: .words(["1", "2", "stop"])
  ) { text in
    if text == "stop" { return 0 }
    return Double(text).flatMap { $0.isFinite && $0 != 0 ? $0 : nil }
  }
}

/// A bound of the frame duration, as it was given; `nil`: "none" was given.
typealias FrameDurationBound = FrameInterval?

extension ValueType where Value == FrameDurationBound {
  /// A decimal is exact to 100 ns.
  static let frameDuration = ValueType(
    "SECONDS", expectation: "seconds above 0, as 0.04 or 1/25, or none", completion: .words(["1/30", "none"])
  ) { text in
    if text == "none" { return .some(nil) }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, let numerator = UInt32(parts[0]), let denominator = UInt32(parts[1]) {
      return FrameInterval(numerator: numerator, denominator: denominator).map { .some($0) } ?? .none
    }
    guard let seconds = Double(text), let numerator = UInt32(exactly: (seconds * 1e7).rounded()),
      numerator > 0
    else { return nil }
    return FrameInterval(numerator: numerator, denominator: 10_000_000).map { .some($0) } ?? .none
  }
}

extension ValueType where Value == NormalizedPoint {
  static let point = ValueType(
    "X,Y", expectation: "a point like 0.25,0.5, each from 0 to 1"
  ) { text in
    let numbers = list(text)
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else { return nil }
    return try? NormalizedPoint(x: x, y: y)
  }
}

extension ValueType where Value == WhiteBalanceGains {
  static let gains = ValueType(
    "R,G,B", expectation: "three gains above 0 like 1.8,1,1.4"
  ) { text in
    let numbers = list(text).compactMap { $0 }
    return numbers.count == 3 ? WhiteBalanceGains(checking: numbers[0], numbers[1], numbers[2]) : nil
  }
}

private func list(_ text: String) -> [Double?] {
  text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
}
