import CaptureModel

/// A camera's lens, exposure and white balance as the node's modes drive them. They follow from what the driver can do, and from the stream's format.
package struct Actuators: Hashable, Sendable {
  var camera = SettingsDescription()
  /// Whether the camera's own automatic exposure is on.
  var exposesItself = false
  var interval = FrameInterval.usual.seconds
  /// The picture's width divided by its height.
  var aspect = 4.0 / 3

  /// The assumed time, in seconds, from one end of the lens's travel to the other: webcams' voice coils need less.
  private static let travelTime = 0.2
  /// A driver's gain, whose units nobody knows, is assumed to be linear from 1 to this.
  private static let mostGain = 16.0
  /// The exposure duration, in seconds, of a camera that has only a gain.
  private static let nominalDuration = 0.01

  /// Takes the format in which the camera streams from now on.
  package mutating func adapt(to format: StreamFormat) {
    interval = (format.interval ?? .usual).seconds
    aspect = Double(format.size.width) / Double(max(format.size.height, 1))
  }

  var lens: LensTravel? {
    camera.focus?.lensPosition.map { position in
      LensTravel(step: position.step, framesForWholeTravel: max(Self.travelTime / interval, 1))
    }
  }

  /// How surely it is known which frame has which values of these settings.
  func trust(in settings: [Setting]) -> DelayTrust {
    let known = settings.flatMap { setting in camera.controls.filter { $0.setting == setting } }
      .map(\.delay.provenance)
    if known.allSatisfy({ $0 == .calibrated }) { return .calibrated }
    // If one delay was seen, the other is assumed to be as long.
    return known.contains(.observed) ? .observed : .unknown
  }

  /// The delay that is known or assumed for a setting; `nil`: no control sets it.
  func delay(of setting: Setting) -> ControlDelay? {
    camera.controls.first { $0.setting == setting }?.delay
  }

  static let exposureSettings = [Setting.exposureDuration, .gain]
  /// The settings with which the white balance is set.
  var balanceSettings: [Setting] {
    if case .temperature = whiteBalance { [.temperature] } else { [.whiteBalanceGains] }
  }

  var exposure: ExposureLimits? {
    guard let exposure = camera.exposure, exposure.duration != nil || exposure.gain != nil else { return nil }
    let gain = exposure.gain.map { ($0.maximum - $0.minimum, $0.step) } ?? (0, 0)
    let duration = exposure.duration
    let shortest = duration.map { max($0.minimum, $0.step, 1e-6) } ?? Self.nominalDuration
    return ExposureLimits(
      durations: .seconds(shortest)...(.seconds(max(duration?.maximum ?? shortest, shortest))),
      durationStep: .seconds(duration?.step ?? 0), gains: 1...(gain.0 > 0 ? Self.mostGain : 1),
      gainStep: gain.0 > 0 ? (Self.mostGain - 1) * gain.1 / gain.0 : 0, longest: .seconds(interval))
  }

  var whiteBalance: WhiteBalanceActuator? {
    guard let balance = camera.whiteBalance else { return nil }
    if let balances = balance.balances {
      return .gains(red: balances.red.positive, blue: balances.blue.positive)
    }
    return balance.temperature.map { .temperature($0.minimum...max($0.maximum, $0.minimum), step: $0.step) }
  }

  // MARK: To and from settings

  /// The part of the sensor's frame that a frame shows, and how the driver has mirrored it; `nil`: nobody knows it now. A digital zoom does not
  /// count, since the node cuts frames only afterwards.
  func field(_ settings: FrameSettings?) -> PictureTransform? {
    var field = PictureTransform.identity
    if let kind = camera.zoom?.kind, kind != .digital {
      guard let factor = settings?.zoomFactor, factor.provenance != .unknown else { return nil }
      field = .zoomed(factor.value)
    }
    guard let settings else { return field }
    return settings.flip.map { field.then($0) }
  }

  /// The settings of a frame, in the units of the node's modes.
  func known(_ frame: FrameSettings?) -> KnownSettings {
    guard let frame else { return KnownSettings() }
    var known = KnownSettings(lensPosition: frame.lensPosition?.value)
    let duration = camera.exposure?.duration == nil ? Self.nominalDuration : frame.exposureDuration?.value
    if let duration, duration > 0 {
      known.exposure = Exposure(duration: .seconds(duration), gain: linearGain(frame.gain?.value))
      if camera.exposure?.duration != nil { known.exposedPart = duration / interval }
    }
    switch whiteBalance {
    case .gains: known.whiteBalance = frame.whiteBalanceGains.map { .gains($0.value) }
    case .temperature: known.whiteBalance = frame.temperature.map { .temperature($0.value) }
    case nil: break
    }
    return known
  }

  /// The driver's present settings, in the units of the node's modes. A value that is unknown is `nil`.
  func known(_ settings: CameraSettings) -> KnownSettings {
    var frame = FrameSettings()
    frame.lensPosition = settings.focus?.lensPosition.known()
    frame.exposureDuration = settings.exposure?.duration.known()
    frame.gain = settings.exposure?.gain.known()
    frame.temperature = settings.whiteBalance?.temperature.known()
    frame.whiteBalanceGains = settings.whiteBalance?.gains.known()
    var known = known(frame)
    if camera.exposure?.gain != nil, frame.gain == nil { known.exposure = nil }
    return known
  }

  /// How much light the scene of a frame has. While the camera exposes by itself, the frame's exposure counts as unknown: the values that the driver
  /// then reports belong to no particular frame.
  package func brightness(of frame: FrameStatistics, takenWith settings: FrameSettings?) -> SceneBrightness {
    let most = exposure.map { limits in
      Exposure(
        duration: min(limits.durations.upperBound, limits.longest ?? limits.durations.upperBound),
        gain: limits.gains.upperBound)
    }
    let isKnown = !exposesItself && isReported(settings)
    return SceneBrightness(of: frame, exposure: isKnown ? known(settings).exposure : nil, most: most)
  }

  /// Whether the exposure of a frame is known. While the camera exposes by itself, the value that was last set by hand does not count.
  private func isReported(_ settings: FrameSettings?) -> Bool {
    func isReported(_ range: SettingsDescription.ValueRange?, _ value: Observed<Double>?) -> Bool {
      range == nil || value.map { $0.provenance != .unknown } ?? false
    }
    return isReported(camera.exposure?.duration, settings?.exposureDuration)
      && isReported(camera.exposure?.gain, settings?.gain)
  }

  func add(_ exposure: Exposure, to change: inout SettingsChange) {
    if camera.exposure?.duration != nil { change.exposure.duration = exposure.duration / .seconds(1) }
    guard let range = camera.exposure?.gain, range.maximum > range.minimum else { return }
    let part = (exposure.gain - 1) / (Self.mostGain - 1)
    change.exposure.gain = range.minimum + part * (range.maximum - range.minimum)
  }

  private func linearGain(_ units: Double?) -> Double {
    guard let units, let range = camera.exposure?.gain, range.maximum > range.minimum else { return 1 }
    return 1 + (units - range.minimum) / (range.maximum - range.minimum) * (Self.mostGain - 1)
  }
}

extension Optional {
  /// The value; `nil` where it is unknown.
  fileprivate func known<Value>() -> Observed<Value>? where Wrapped == Observed<Value> {
    flatMap { $0.provenance == .unknown ? nil : $0 }
  }
}

extension SettingsDescription.ValueRange {
  /// The range without zero, which is not a gain.
  fileprivate var positive: ClosedRange<Double> {
    let least = max(minimum, 0.01)
    return least...max(maximum, least)
  }
}

extension SettingsChange.WhiteBalance.Colour {
  init(_ setting: WhiteBalanceSetting) {
    switch setting {
    case .gains(let gains): self = .gains(gains)
    case .temperature(let kelvin): self = .temperature(TemperatureAndTint(temperature: kelvin))
    }
  }
}

extension FocusRestriction {
  init(_ range: FocusRange) {
    switch range {
    case .none: self = .none
    case .near: self = .near
    case .far: self = .far
    }
  }
}
