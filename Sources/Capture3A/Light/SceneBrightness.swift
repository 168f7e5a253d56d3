import CaptureModel
import Glibc

/// How much light a scene has for a camera: how far its picture would be off its target with the most exposure that the camera has.
public struct SceneBrightness: Hashable, Sendable {
  /// EV. Where the exposure is unknown, it is how far this picture is off its target.
  public var headroom: Double
  /// Whether the frame's exposure was known.
  public var isExposureKnown: Bool
  /// Whether there is more light than the picture can show.
  public var isClipped: Bool

  public init(headroom: Double, isExposureKnown: Bool, isClipped: Bool = false) {
    (self.headroom, self.isExposureKnown, self.isClipped) = (headroom, isExposureKnown, isClipped)
  }

  /// `exposure`: the frame's; `most`: the camera's largest. `nil` where the camera exposes by itself and does not report its exposure.
  public init(of frame: FrameStatistics, exposure: Exposure?, most: Exposure?) {
    let reading = ExposureMeter().reading(of: frame)
    let isKnown = exposure != nil && most != nil
    var headroom = reading.offset
    if let exposure, let most { headroom += max(most.stops(above: exposure), 0) }
    self.init(
      headroom: headroom, isExposureKnown: isKnown, isClipped: reading.offset > 0 && reading.isClipped)
  }

  /// Whether a lamp helps: the camera has no more exposure, or the picture is dark whatever the camera does.
  public var isDark: Bool { headroom < darkest }

  /// The EV below which the scene is dark.
  var darkest: Double { isExposureKnown ? Self.darkestIfKnown : Self.darkestIfUnknown }

  /// A picture that uses all but half a stop of the camera's exposure is noisy and blurred.
  static let darkestIfKnown = 0.5
  /// A camera that exposes by itself lets the picture get darker only when it has no more exposure.
  static let darkestIfUnknown = -1.5

  /// The headroom as a number that is proportional to light.
  var light: Double { exp2(headroom) }
}
