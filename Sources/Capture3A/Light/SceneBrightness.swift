import CaptureModel
import Glibc

/// How much light a scene has for a camera: how far off its target the picture would be with the camera's largest exposure.
public struct SceneBrightness: Hashable, Sendable {
  /// How much brighter than its target the picture would be with the camera's largest exposure, in EV. Where the exposure is unknown, how much
  /// brighter than its target this picture is.
  public var headroom: Double
  /// Whether the frame's exposure was known.
  public var isExposureKnown: Bool
  /// Whether there is more light than the picture can show.
  public var isClipped: Bool

  public init(headroom: Double, isExposureKnown: Bool, isClipped: Bool = false) {
    (self.headroom, self.isExposureKnown, self.isClipped) = (headroom, isExposureKnown, isClipped)
  }

  /// `exposure`: the frame's; `nil`: unknown, as where the camera exposes by itself and does not report it. `most`: the camera's largest exposure;
  /// `nil`: unknown.
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

  /// The headroom, in EV, below which the scene is dark.
  var darkest: Double { isExposureKnown ? Self.darkestIfKnown : Self.darkestIfUnknown }

  /// A scene is dark if its headroom is less than this, in EV: the picture needs all but half a stop of the camera's largest exposure, and so is
  /// noisy and blurred.
  static let darkestIfKnown = 0.5
  /// Where the exposure is unknown, a scene is dark if the picture is this far below its target, in EV: a camera that exposes by itself lets the
  /// picture get so dark only when it has no more exposure.
  static let darkestIfUnknown = -1.5

  /// The headroom as a number that is proportional to light.
  var light: Double { exp2(headroom) }
}
