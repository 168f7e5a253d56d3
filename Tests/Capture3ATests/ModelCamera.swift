import Capture3A
import CaptureModel
import CaptureTestSupport
import Glibc

/// A camera in a few formulas: what its statistics would be, with a delay, a lens that takes its time, and noise.
struct ModelCamera {
  /// Frames between a setting and the first one that has it.
  var delay = 0
  /// Whether frames say what they were taken with.
  var tellsSettings = true
  var noise = 0.01

  /// Light of white under the light, for an exposure of 1 s at gain 1.
  var light = 10.0
  var illuminant = LinearColor(red: 1, green: 1, blue: 1)
  /// Reflectance of each zone, mean and colour.
  var scene: (_ point: NormalizedPoint) -> LinearColor = { _ in LinearColor(red: 0.2, green: 0.2, blue: 0.2) }
  /// Lens position at which a place is sharp.
  var focus: (_ point: NormalizedPoint) -> Double = { _ in 0.5 }
  /// How much detail a place has; 0: none.
  var detail: (_ point: NormalizedPoint) -> Double = { _ in 1 }
  /// Distance from focus, in lens travels, that halves the contrast.
  var depthOfFocus = 0.08
  /// So near to focus the picture is as sharp as its pixels, no more.
  var sharpWithin = 0.0
  var framesForWholeTravel = 8.0

  private(set) var exposure = Exposure(duration: .milliseconds(10), gain: 1)
  private(set) var lensTarget = 0.5
  private(set) var lens = 0.5
  private(set) var whiteBalance = WhiteBalanceSetting.gains(.none)
  private(set) var frames: UInt64 = 0
  private var coming: [(frame: UInt64, action: ThreeA.Action)] = []
  private var numbers: SeededNumbers

  init(seed: UInt64 = 1) { numbers = SeededNumbers(seed: seed) }

  mutating func start(
    exposure: Exposure, lens: Double = 0.5, whiteBalance: WhiteBalanceSetting = .gains(.none)
  ) {
    (self.exposure, lensTarget, self.lens, self.whiteBalance) = (exposure, lens, lens, whiteBalance)
  }

  mutating func perform(_ action: ThreeA.Action) { coming.append((frames + UInt64(delay), action)) }

  mutating func frame() -> (FrameStatistics, KnownSettings) {
    while let first = coming.first, first.frame <= frames {
      switch first.action {
      case .moveLens(let position): lensTarget = position
      case .expose(let exposure): self.exposure = exposure
      case .balance(let setting): whiteBalance = setting
      case .focused: break
      }
      coming.removeFirst()
    }
    // In the middle of the exposure, and then at its end.
    let (start, speed) = (lens, 1 / framesForWholeTravel)
    lens = start + min(max(lensTarget - start, -speed * 0.2), speed * 0.2)
    defer { lens = start + min(max(lensTarget - start, -speed), speed) }
    let grid = ZoneGrid(columns: 8, rows: 6)
    var zones: [Zone] = []
    for row in 0..<grid.rows {
      for column in 0..<grid.columns { zones.append(zone(at: grid.center(column: column, row: row))) }
    }
    let statistics = FrameStatistics(
      sequence: frames,
      timestamp: FrameTimestamp(nanoseconds: frames * 33_333_333, clock: .monotonic, source: .endOfFrame),
      grid: grid, zones: zones)
    frames += 1
    guard tellsSettings else { return (statistics, KnownSettings()) }
    return (
      statistics, KnownSettings(exposure: exposure, lensPosition: lensTarget, whiteBalance: whiteBalance)
    )
  }

  private mutating func zone(at point: NormalizedPoint) -> Zone {
    let signal = scene(point) * illuminant * whiteBalance.gains
    let scale = light * exposure.amount
    var (luma, luminance, white, black, usable) = (0.0, 0.0, 0.0, 0.0, 0.0)
    var (red, green, blue) = (0.0, 0.0, 0.0)
    let (redNoise, greenNoise, blueNoise) = (
      noise * 0.005 * numbers.noise(), noise * 0.005 * numbers.noise(), noise * 0.005 * numbers.noise()
    )
    // Pixels of a zone differ from its mean by up to half.
    for part in [0.55, 0.7, 0.85, 1, 1.15, 1.3, 1.45] {
      let (r, g, b) = (
        max(signal.red * scale * part + redNoise, 0), max(signal.green * scale * part + greenNoise, 0),
        max(signal.blue * scale * part + blueNoise, 0)
      )
      let light = 0.2126 * min(r, 1) + 0.7152 * min(g, 1) + 0.0722 * min(b, 1)
      luminance += light / 7
      luma += light.squareRoot() / 7
      if max(r, g, b) >= 1 {
        white += 1
      } else if min(r, g, b) > 0.0003 {
        usable += 1
        (red, green, blue) = (red + r, green + g, blue + b)
      }
      if light < 0.0005 { black += 1 }
    }
    let pixels = max(usable, 1)
    let away = max(abs(lens - focus(point)) - sharpWithin, 0) / depthOfFocus
    let sharpness = detail(point) * 50 / (1 + away * away) + 2
    return Zone(
      luma: luma, luminance: luminance,
      color: LinearColor(red: red / pixels, green: green / pixels, blue: blue / pixels), usable: usable / 7,
      black: black / 7, white: white / 7,
      contrast: max(sharpness * luma * luma * (1 + noise * numbers.noise()), 0))
  }
}

extension LinearColor {
  static func * (one: LinearColor, other: LinearColor) -> LinearColor {
    LinearColor(red: one.red * other.red, green: one.green * other.green, blue: one.blue * other.blue)
  }
}
