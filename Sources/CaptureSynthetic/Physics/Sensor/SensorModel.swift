import CPhysicsKernels
import Glibc

/// Turns light into numbers.
///
/// signal = light × duration / 10 ms × ISO / 100. Light is 1 from a white thing under an ambient light of 0 EV. Noise is added to the signal: that of
/// photons (10,000 electrons are a signal of 1 at ISO 100) and that of reading (3 electrons). Pixels are full at ``saturation``. Then white balance is
/// applied (green's gain is 1), and the signal is cut at 1. sRGB's curve (IEC 61966-2-1) turns it into R'G'B', and BT.601 in video range into Y'CbCr.
/// The lens and the size of the pixels blur with a deviation of half a pixel.
package enum SensorModel {
  /// The duration at which light of 1 gives a signal of 1 at ISO 100, in seconds.
  package static let referenceDuration = 0.01
  /// The signal at which pixels are full, at every ISO.
  package static let saturation = 4.0
  private static let electrons = 10_000.0
  private static let readNoise = 3.0

  /// The ISO of `V4L2_CID_GAIN`: 100 at 0, and 100 more for every 16.
  package static func iso(gain: Int64) -> Double { 100 * (1 + Double(gain) / 16) }

  /// The signal for a unit of light.
  package static func exposure(duration: Double, iso: Double) -> Double {
    duration / referenceDuration * iso / 100
  }

  /// `V4L2_CID_RED_BALANCE` and `V4L2_CID_BLUE_BALANCE` have a gain of 1 at 512.
  package static let unityBalance = 512.0

  /// sRGB's curve: converts a signal of 0…1 to a value of 0…1.
  package static func encoded(_ signal: Double) -> Double {
    signal <= 0.003_130_8 ? 12.92 * signal : 1.055 * pow(signal, 1 / 2.4) - 0.055
  }

  /// The inverse of ``encoded(_:)``.
  package static func decoded(_ value: Double) -> Double {
    value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  static let curve: [UInt8] = (0..<Int(physics_curve_count)).map {
    UInt8((255 * encoded(Double($0) / Double(physics_curve_count - 1))).rounded())
  }

  static func sensor(_ frame: PhysicsFrame, noise: Double) -> physics_sensor {
    let gain = frame.iso / 100
    let factor = noise * noise
    let read = readNoise * gain / electrons
    return physics_sensor(
      exposure: Float(exposure(duration: frame.exposureDuration, iso: frame.iso)),
      shot: Float(factor * gain / electrons), read: Float(factor * read * read),
      saturation: Float(saturation),
      gains: (Float(frame.gains.red), Float(frame.gains.green), Float(frame.gains.blue)))
  }
}
