/// The settings that a camera has, with their ranges. A part is `nil` where the camera does not have it.
public struct SettingsDescription: Hashable, Sendable {
  /// `nil`: the focus is fixed.
  public var focus: Focus?
  /// `nil`: it cannot be set.
  public var exposure: Exposure?
  /// `nil`: it cannot be set.
  public var whiteBalance: WhiteBalance?
  /// `nil`: there is none.
  public var zoom: Zoom?
  /// The light that stays on (`hasTorch`); `nil`: there is none.
  public var torch: Light?
  /// The light for photos (`hasFlash`); `nil`: there is none.
  public var flash: Light?
  /// Which control has which setting, on this camera.
  public var controls: [ControlUse] = []
  /// Whether the delay of every control in `controls` whose value shows in pictures has been measured.
  public var isCalibrated: Bool {
    let measurable = controls.filter { $0.setting.row.showsInPictures }
    return !measurable.isEmpty && measurable.allSatisfy { $0.delay.provenance == .calibrated }
  }
  /// The time between frames of the stream that runs, in seconds.
  public var frameDuration: ValueRange?
  /// The newest frames of the stream that runs, which are kept for photos of a moment that has passed; `nil`: no stream runs.
  public var recentFrames: RecentReach?

  public init() {}

  /// The possible values of a setting.
  public struct ValueRange: Hashable, Sendable {
    /// The smallest possible value, in the setting's unit.
    public var minimum: Double
    /// The largest possible value, in the setting's unit.
    public var maximum: Double
    /// 0: every value in the range is possible.
    public var step: Double
    /// The value that the driver began with, in the setting's unit.
    public var defaultValue: Double
    /// The possible values of a menu, in rising order; empty: the range and the step say which values are possible.
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

  /// What the focus can do.
  public struct Focus: Hashable, Sendable, FocusNumbers {
    /// `isFocusModeSupported`.
    public var modes: [FocusMode]
    /// Those of `modes` that the node provides, from pictures.
    public var softwareModes: [FocusMode] = []
    /// `nil`: cannot be set.
    public var numbers = SettingKeyed<ValueRange>()
    /// `isFocusPointOfInterestSupported`.
    public var hasPointOfInterest = false
    /// `isAutoFocusRangeRestrictionSupported`.
    public var ranges: [FocusRange] = [.none]

    public init(modes: [FocusMode]) { self.modes = modes }
  }

  /// What the exposure can do.
  public struct Exposure: Hashable, Sendable, ExposureNumbers {
    /// `isExposureModeSupported`.
    public var modes: [ExposureMode]
    /// Those of `modes` that the node provides, from pictures.
    public var softwareModes: [ExposureMode] = []
    /// The ranges of numbers (`minExposureDuration`, `maxISO`, `minExposureTargetBias`); `nil`: cannot be set.
    public var numbers = SettingKeyed<ValueRange>()
    /// `isExposurePointOfInterestSupported`.
    public var hasPointOfInterest = false

    public init(modes: [ExposureMode]) { self.modes = modes }
  }

  /// What the white balance can do.
  public struct WhiteBalance: Hashable, Sendable, WhiteBalanceNumbers {
    /// `isWhiteBalanceModeSupported`.
    public var modes: [WhiteBalanceMode]
    /// Those of `modes` that the node provides, from pictures.
    public var softwareModes: [WhiteBalanceMode] = []
    /// The ranges by setting; `nil` for one that cannot be set. The temperatures are possible without a tint, and each tint with some temperature.
    public var numbers = SettingKeyed<ValueRange>()
    /// The range of each of the three gains, whatever the others are; the smallest of the three is always 1 (`maxWhiteBalanceGain`). `nil`: they cannot be set.
    public var gains: ValueRange?
    /// The gains of red and blue while that of green is 1: only these ratios count. `nil`: they cannot be set.
    public var balances: Balances?
    /// Whether the node can find gains that make the mean of the picture grey.
    public var hasGreyWorld = false

    public init(modes: [WhiteBalanceMode]) { self.modes = modes }
  }

  /// The gains of two channels relative to the third's (`V4L2_CID_RED_BALANCE`, `V4L2_CID_BLUE_BALANCE`).
  public struct Balances: Hashable, Sendable {
    /// The gain of red while that of green is 1.
    public var red: ValueRange
    /// The gain of blue while that of green is 1.
    public var blue: ValueRange

    public init(red: ValueRange, blue: ValueRange) {
      self.red = red
      self.blue = blue
    }
  }

  /// What the zoom can do.
  public struct Zoom: Hashable, Sendable {
    /// The largest factor (`videoMaxZoomFactor`); the smallest is 1.
    public var maximum: Double
    /// Which part of the system magnifies.
    public var kind: ZoomKind
    /// Why the node crops, although the driver can crop the sensor.
    public var reason: String?

    public init(maximum: Double, kind: ZoomKind, reason: String? = nil) {
      self.maximum = maximum
      self.kind = kind
      self.reason = reason
    }
  }

  /// What a torch or a flash can do.
  public struct Light: Hashable, Sendable {
    /// `isTorchModeSupported`, `supportedFlashModes`.
    public var modes: [LightMode]
    /// Those of `modes` that the node provides.
    public var softwareModes: [LightMode] = []
    /// Whether its brightness can be set.
    public var hasLevel: Bool
    /// Where the light comes from: "V4L2 flash controls", "LED white:torch".
    public var source: String

    public init(modes: [LightMode], hasLevel: Bool, source: String) {
      self.modes = modes
      self.hasLevel = hasLevel
      self.source = source
    }
  }

  /// The control of a setting on this camera.
  public struct ControlUse: Hashable, Sendable {
    /// The setting.
    public var setting: Setting
    /// The number of the driver's control that has it.
    public var control: ControlID
    /// The control's name: "focus_absolute".
    public var name: String
    /// How a value of the control is converted to the setting's: "× 100 µs".
    public var conversion: String
    /// How many frames pass until pictures show a change of it.
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

  /// Whether the value is in the range, with a small margin: a conversion there and back changes a value a little.
  public func contains(_ value: Double) -> Bool {
    let slack = max(abs(minimum), abs(maximum)) * 1e-9
    if !items.isEmpty { return items.contains { abs($0 - value) <= slack } }
    return (minimum - slack...maximum + slack).contains(value)
  }

  /// The distance between the items on both sides of a value; 0: it is beyond the items, or there are none.
  package func gap(at value: Double) -> Double {
    guard let below = items.last(where: { $0 < value }), let above = items.first(where: { $0 > value }) else {
      return 0
    }
    return above - below
  }

  /// The possible value that is nearest to `value`.
  func nearest(to value: Double) -> Double {
    items.min { abs($0 - value) < abs($1 - value) } ?? min(max(value, minimum), maximum)
  }

  /// Returns the value, clamped where `clamping` says so. Throws `invalidArgument`, whose message names the range or, for a menu, the items next to
  /// the value. `what`: the setting that the error names.
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
      .invalidArgument, "\(what) cannot be \(value.shortText)\(unit): \(camera) takes \(possible)",
      .init(
        .valueOutOfRange, field: CaptureError.field(of: what), asked: .number(value),
        possible: items.map(\.shortText), range: .init(minimum, maximum, step: step)))
  }
}

extension Setting {
  /// Whether its number goes from 0 to 1 on every camera.
  package var isFraction: Bool { row.isFraction }
}

extension Double {
  /// The number in at most six significant digits: "0.0333333", "4000".
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
