import CaptureControls
import CaptureModel
import Glibc

/// The camera's own automatic modes. Unlike firmware they know the true scene, but they behave like firmware: they take some frames to adjust, and
/// own their controls while they are on.
struct CameraAutomation {
  /// The exposure that the mode has reached; `nil` while it is off. It is in the units of ``SensorModel/exposure(duration:iso:)``.
  private var exposure: Double?
  private var isExposing = true
  private var mired: Double?
  /// How many frames have passed since the middle went out of focus.
  private var unsharp = 0

  /// The signal that automatic exposure aims at for the metered light.
  static let target = 0.18

  /// Adjusts the settings before each frame. `light`: the metered light; `distance`: metres to the thing in the middle; `interval`: seconds.
  mutating func adjust(
    _ settings: inout PhysicsSettings, light: SensorColor, illuminant: Double, distance: Double,
    interval: Double
  ) {
    if settings.isAutomatic(.autoExposure) { expose(&settings, light, interval) } else { exposure = nil }
    if settings.isAutomatic(.autoWhiteBalance) { balance(&settings, illuminant) } else { mired = nil }
    if settings.isAutomatic(.autoFocus) { focus(&settings, distance) } else { unsharp = 0 }
  }

  private mutating func expose(_ settings: inout PhysicsSettings, _ light: SensorColor, _ interval: Double) {
    var exposure =
      self.exposure
      ?? SensorModel.exposure(
        duration: min(Double(settings[.exposureAbsolute]!) * 1e-4, interval),
        iso: SensorModel.iso(gain: settings[.gain]!))
    let error = log2(Self.target * exp2(settings.bias) / (light.luminance * exposure))
    isExposing = abs(error) > (isExposing ? 0.03 : 0.15)
    if isExposing { exposure *= exp2(max(-1, min(1, 0.4 * error))) }
    let longest = min(Double(PhysicsControls.exposureRange.upperBound), (interval * 1e4).rounded(.down))
    let ticks = max(1, min(longest, (exposure * 100).rounded()))
    let gain = max(0, min(255, ((exposure * 100 / ticks - 1) * 16).rounded()))
    // The exposure stays within the camera's range.
    self.exposure = max(0.01, min(longest / 100 * 17, exposure))
    settings.set(.exposureAbsolute, Int64(ticks))
    settings.set(.gain, Int64(gain))
  }

  private mutating func balance(_ settings: inout PhysicsSettings, _ illuminant: Double) {
    let start = mired ?? 1e6 / Double(settings[.whiteBalanceTemperature] ?? 5000)
    let range = PhysicsControls.temperatureRange
    let wanted = 1e6 / max(Double(range.lowerBound), min(Double(range.upperBound), illuminant))
    let now = abs(wanted - start) < 0.5 ? wanted : start + 0.2 * (wanted - start)
    mired = now
    let kelvin = 1e6 / now
    settings.hiddenTemperature = kelvin
    settings.set(.whiteBalanceTemperature, Int64((kelvin / 10).rounded()) * 10)
    guard settings[.whiteBalanceTemperature] == nil else { return }
    let gains = PhysicsSettings.gains(kelvin: kelvin)
    settings.set(.redBalance, Int64((gains.red * SensorModel.unityBalance).rounded()))
    settings.set(.blueBalance, Int64((gains.blue * SensorModel.unityBalance).rounded()))
  }

  private mutating func focus(_ settings: inout PhysicsSettings, _ distance: Double) {
    let wanted = LensOptics.position(inFocusAt: distance)
    guard abs(wanted - settings.lens) > 0.005 else { return unsharp = 0 }
    unsharp += 1
    // The lens moves only once six frames were out of focus: a short change does not count.
    guard unsharp >= 6 else { return }
    settings.set(.focusAbsolute, Int64((wanted * Double(PhysicsControls.focusRange.upperBound)).rounded()))
  }
}
