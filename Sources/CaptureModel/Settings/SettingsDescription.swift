/// What a camera can do. A part that is `nil` it has not.
public struct SettingsDescription: Hashable, Sendable {
  /// `nil`: fixed focus.
  public var focus: Focus?
  public var exposure: Exposure?
  public var whiteBalance: WhiteBalance?
  public var zoom: Zoom?
  public var torch: Light?
  public var flash: Light?
  /// The mapping as it is on this camera.
  public var controls: [ControlUse] = []
  /// Every control in `controls` whose value pictures show has a delay that was measured.
  public var isCalibrated: Bool {
    let measurable = controls.filter { $0.setting.row.showsInPictures }
    return !measurable.isEmpty && measurable.allSatisfy { $0.delay.provenance == .calibrated }
  }
  /// Seconds, of the stream that runs.
  public var frameDuration: ValueRange?

  public init() {}

  /// What a value may be.
  public struct ValueRange: Hashable, Sendable {
    public var minimum: Double
    public var maximum: Double
    /// 0: any value between.
    public var step: Double
    public var defaultValue: Double
    /// All that is possible, in rising order, of a menu; empty: what the range says.
    public var items: [Double]

    public init(
      minimum: Double, maximum: Double, step: Double = 0, defaultValue: Double, items: [Double] = []
    ) {
      self.minimum = minimum
      self.maximum = maximum
      self.step = step
      self.defaultValue = defaultValue
      self.items = items
    }
  }

  public struct Focus: Hashable, Sendable, FocusNumbers {
    /// `isFocusModeSupported`.
    public var modes: [FocusMode]
    /// Those of `modes` that the node does from pictures.
    public var softwareModes: [FocusMode] = []
    /// `nil`: cannot be set. Of temperatures those without a tint, of tints those with one temperature or another.
    public var numbers = SettingKeyed<ValueRange>()
    /// `isFocusPointOfInterestSupported`.
    public var hasPointOfInterest = false
    public var ranges: [FocusRange] = [.none]

    public init(modes: [FocusMode]) { self.modes = modes }
  }

  public struct Exposure: Hashable, Sendable, ExposureNumbers {
    /// `isExposureModeSupported`.
    public var modes: [ExposureMode]
    public var softwareModes: [ExposureMode] = []
    /// `nil`: cannot be set. `minExposureDuration`, `maxISO`, `minExposureTargetBias` and their like.
    public var numbers = SettingKeyed<ValueRange>()
    public var hasPointOfInterest = false

    public init(modes: [ExposureMode]) { self.modes = modes }
  }

  public struct WhiteBalance: Hashable, Sendable, WhiteBalanceNumbers {
    /// `isWhiteBalanceModeSupported`.
    public var modes: [WhiteBalanceMode]
    public var softwareModes: [WhiteBalanceMode] = []
    /// `nil`: cannot be set. Of temperatures those without a tint, of tints those with one temperature or another.
    public var numbers = SettingKeyed<ValueRange>()
    /// Each of the three, whatever the others are, the smallest being 1; `nil`: cannot be set. `maxWhiteBalanceGain`.
    public var gains: ValueRange?
    /// All that is taken of gains: red's and blue's while green's is 1; `nil`: cannot be set.
    public var balances: Balances?
    /// Gains that make the mean of the picture grey can be asked for.
    public var hasGreyWorld = false

    public init(modes: [WhiteBalanceMode]) { self.modes = modes }
  }

  /// Gains of two channels over the third's (`V4L2_CID_RED_BALANCE`, `V4L2_CID_BLUE_BALANCE`).
  public struct Balances: Hashable, Sendable {
    public var red: ValueRange
    public var blue: ValueRange

    public init(red: ValueRange, blue: ValueRange) {
      self.red = red
      self.blue = blue
    }
  }

  public struct Zoom: Hashable, Sendable {
    /// The factor's maximum; its minimum is 1. `videoMaxZoomFactor`.
    public var maximum: Double
    public var kind: ZoomKind
    /// Why the node crops though the driver offers the sensor's crop.
    public var reason: String?

    public init(maximum: Double, kind: ZoomKind, reason: String? = nil) {
      self.maximum = maximum
      self.kind = kind
      self.reason = reason
    }
  }

  public struct Light: Hashable, Sendable {
    public var modes: [LightMode]
    /// Those of `modes` that the node does.
    public var softwareModes: [LightMode] = []
    public var hasLevel: Bool
    /// "V4L2 flash controls", "LED white:torch".
    public var source: String

    public init(modes: [LightMode], hasLevel: Bool, source: String) {
      self.modes = modes
      self.hasLevel = hasLevel
      self.source = source
    }
  }

  /// A setting's control on this camera.
  public struct ControlUse: Hashable, Sendable {
    public var setting: Setting
    public var control: ControlID
    /// "focus_absolute"
    public var name: String
    /// "× 100 µs"
    public var conversion: String
    public var delay: ControlDelay

    public init(
      setting: Setting, control: ControlID, name: String, conversion: String, delay: ControlDelay
    ) {
      self.setting = setting
      self.control = control
      self.name = name
      self.conversion = conversion
      self.delay = delay
    }
  }
}

extension SettingsDescription.ValueRange {
  /// "0.0003 to 0.2047"
  public var text: String { "\(minimum.shortText) to \(maximum.shortText)" }

  /// Values that went through a conversion and back may be a hair off.
  public func contains(_ value: Double) -> Bool {
    let slack = max(abs(minimum), abs(maximum)) * 1e-9
    if !items.isEmpty { return items.contains { abs($0 - value) <= slack } }
    return (minimum - slack...maximum + slack).contains(value)
  }

  /// How far the items on both sides of a value are apart; 0: it is beyond them, or there are none.
  package func gap(at value: Double) -> Double {
    guard let below = items.last(where: { $0 < value }), let above = items.first(where: { $0 > value }) else {
      return 0
    }
    return above - below
  }

  /// Of what is possible.
  func nearest(to value: Double) -> Double {
    items.min { abs($0 - value) < abs($1 - value) } ?? min(max(value, minimum), maximum)
  }

  /// Clamps, or throws `invalidArgument` naming the range, of a menu the items next to the value. `what`: "exposure.duration", `unit`: " s".
  public func checked(_ value: Double, _ what: Setting, clamping: Bool, by camera: String)
    throws(CaptureError) -> Double
  {
    if contains(value) || clamping && value.isFinite { return nearest(to: value) }
    let unit = what.unit.isEmpty ? "" : " \(what.unit)"
    var possible = "\(text)\(unit)"
    if let below = items.last(where: { $0 < value }), let above = items.first(where: { $0 > value }) {
      possible = "\(below.shortText) and \(above.shortText)\(unit), and nothing between"
    }
    throw CaptureError(
      .invalidArgument, "\(what) cannot be \(value.shortText)\(unit): \(camera) takes \(possible)")
  }
}

extension Setting {
  /// Goes from 0 to 1 on every camera.
  package var isFraction: Bool { row.isFraction }
}

extension Double {
  /// At most six significant digits: "0.0333333", "4000".
  package var shortText: String {
    guard isFinite, self != 0 else { return self == 0 ? "0" : "\(self)" }
    var scale = 1.0
    var magnitude = abs(self)
    while magnitude < 1e5, scale < 1e12 {
      magnitude *= 10
      scale *= 10
    }
    let rounded = (self * scale).rounded() / scale
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
  }
}
