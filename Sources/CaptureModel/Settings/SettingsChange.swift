/// A change of a camera's settings. A part that is `nil` stays as it is.
public struct SettingsChange: Hashable, Sendable {
  /// The focus.
  public var focus = Focus()
  /// The exposure.
  public var exposure = Exposure()
  /// The white balance.
  public var whiteBalance = WhiteBalance()
  /// The zoom.
  public var zoom: Zoom?
  /// The light that stays on. It and the flash exclude each other.
  public var torch: Light?
  /// The light for photos.
  public var flash: Light?
  /// The bounds of the time between frames, from the next stream on at the latest.
  public var frameDuration: FrameDuration?

  public init() {}

  /// A change of the focus.
  public struct Focus: Hashable, Sendable, FocusNumbers {
    /// With `lensPosition` the mode is locked, also where this is `nil`.
    public var mode: FocusMode?
    /// `focusPointOfInterest`.
    public var point: NormalizedPoint?
    /// `setFocusModeLocked(lensPosition:)`.
    public var numbers = SettingKeyed<Double>()
    /// `autoFocusRangeRestriction`.
    public var range: FocusRange?

    public init(
      mode: FocusMode? = nil, point: NormalizedPoint? = nil, lensPosition: Double? = nil,
      range: FocusRange? = nil
    ) {
      self.mode = mode
      self.point = point
      self.lensPosition = lensPosition
      self.range = range
    }
  }

  /// A change of the exposure.
  public struct Exposure: Hashable, Sendable, ExposureNumbers {
    /// With a number of a custom exposure, such as the duration, the mode is custom, also where this is `nil`.
    public var mode: ExposureMode?
    /// `exposurePointOfInterest`.
    public var point: NormalizedPoint?
    /// The numbers of a custom exposure, such as the duration (`setExposureModeCustom(duration:iso:)`), and the bias (`setExposureTargetBias`).
    public var numbers = SettingKeyed<Double>()

    public init(
      mode: ExposureMode? = nil, point: NormalizedPoint? = nil, duration: Double? = nil, iso: Double? = nil,
      bias: Double? = nil, gain: Double? = nil
    ) {
      self.mode = mode
      self.point = point
      self.duration = duration
      self.iso = iso
      self.bias = bias
      self.gain = gain
    }
  }

  /// A change of the white balance.
  public struct WhiteBalance: Hashable, Sendable {
    /// With `colour` the mode is locked, also where this is `nil`.
    public var mode: WhiteBalanceMode?
    /// The gains, or the light for which they are right.
    public var colour: Colour?
    /// Whether these gains come from a time when the driver's control of the temperature described the light. Once they are set, that control
    /// describes the light again.
    package var temperatureTellsLight = false

    /// How the gains of the colours are given.
    public enum Colour: Hashable, Sendable {
      /// The light that shall look grey (`deviceWhiteBalanceGains(for:)`).
      case temperature(TemperatureAndTint)
      /// `setWhiteBalanceModeLocked(with:)`.
      case gains(WhiteBalanceGains)
      /// Finds, once, the gains that make the mean of the picture grey (`grayWorldDeviceWhiteBalanceGains`).
      case greyWorld
    }

    public init(mode: WhiteBalanceMode? = nil, colour: Colour? = nil) {
      self.mode = mode
      self.colour = colour
    }
  }

  /// A change of the zoom.
  public struct Zoom: Hashable, Sendable {
    /// From 1 to the maximum (`videoZoomFactor`); 0 stops a ramp where it is.
    public var factor: Double
    /// Doublings a second (`ramp(toVideoZoomFactor:withRate:)`); `nil`: at once.
    public var rate: Double?

    public init(factor: Double, rate: Double? = nil) {
      self.factor = factor
      self.rate = rate
    }
  }

  /// `activeVideoMinFrameDuration`, `activeVideoMaxFrameDuration`. V4L2: `VIDIOC_S_PARM`, when a stream starts.
  public struct FrameDuration: Hashable, Sendable, Codable {
    /// `nil`: the formats alone bound it.
    public var minimum: FrameInterval?
    /// `nil`: the formats alone bound it.
    public var maximum: FrameInterval?

    public init(minimum: FrameInterval? = nil, maximum: FrameInterval? = nil) {
      self.minimum = minimum
      self.maximum = maximum
    }

    /// Whether an interval is within these bounds. A difference of half a percent does not count: 29.97 frames a second are 30.
    public func contains(_ interval: FrameInterval) -> Bool {
      minimum.map { !interval.exceeds(rate: $0.rate) } ?? true
        && maximum.map { interval.reaches(rate: $0.rate) } ?? true
    }
  }

  /// A change of a torch or a flash.
  public struct Light: Hashable, Sendable {
    /// `torchMode`, `flashMode`. A level alone does not switch the light on.
    public var mode: LightMode?
    /// 0…1 (`setTorchModeOn(level:)`).
    public var level: Double?

    public init(mode: LightMode? = nil, level: Double? = nil) {
      self.mode = mode
      self.level = level
    }
  }

  /// Sets focus and exposure to continuous at the centre, the whole focus range and no bias, as far as the camera has them. White balance stays.
  public static func reset(_ camera: SettingsDescription) -> SettingsChange {
    var change = SettingsChange()
    if let focus = camera.focus {
      if focus.modes.contains(.continuous) { change.focus.mode = .continuous }
      if focus.hasPointOfInterest { change.focus.point = .center }
      if focus.ranges.count > 1 { change.focus.range = FocusRange.none }
    }
    if let exposure = camera.exposure {
      if exposure.modes.contains(.continuous) { change.exposure.mode = .continuous }
      if exposure.hasPointOfInterest { change.exposure.point = .center }
      // A menu may lack the value 0.
      if let bias = exposure.bias { change.exposure.bias = bias.nearest(to: 0) }
    }
    return change
  }

  /// Throws `invalidArgument` if torch and flash are both to be on. They exclude each other, whatever makes the light.
  public func checkLights() throws(CaptureError) {
    guard let torch = torch?.mode, torch != .off, let flash = flash?.mode, flash != .off else { return }
    throw CaptureError(
      .invalidArgument, "torch and flash exclude each other; switch one of them off",
      .init(.fieldsExclusive, field: CaptureError.field(of: .flashMode)))
  }

  /// Whether nothing is to change.
  public var isEmpty: Bool { self == SettingsChange() }
}
