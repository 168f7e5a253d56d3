import CaptureModel
import Glibc

/// How much light a scene has for a camera: what its picture would be off its target by with the most exposure that the camera has.
public struct SceneBrightness: Hashable, Sendable {
  /// EV. Where the exposure is not known, of the picture as it is.
  public var headroom: Double
  /// The frame's exposure was known.
  public var isExposureKnown: Bool
  /// There is more light than the picture can tell.
  public var isClipped: Bool

  public init(headroom: Double, isExposureKnown: Bool, isClipped: Bool = false) {
    (self.headroom, self.isExposureKnown, self.isClipped) = (headroom, isExposureKnown, isClipped)
  }

  /// `exposure`: the frame's, `most`: the camera's; `nil` where the camera exposes by itself and does not say how.
  public init(of frame: FrameStatistics, exposure: Exposure?, most: Exposure?) {
    let reading = ExposureMeter().reading(of: frame)
    let isKnown = exposure != nil && most != nil
    var headroom = reading.offset
    if let exposure, let most { headroom += max(most.stops(above: exposure), 0) }
    self.init(
      headroom: headroom, isExposureKnown: isKnown, isClipped: reading.offset > 0 && reading.isClipped)
  }

  /// A lamp helps: the camera is at its end, or the picture is dark whatever the camera does.
  public var isDark: Bool { headroom < darkest }

  /// EV below which it is dark.
  var darkest: Double { isExposureKnown ? Self.knownEnd : Self.unknownEnd }

  /// A picture that needs all but half a stop of what the camera has is noisy and blurred.
  static let knownEnd = 0.5
  /// A camera that exposes by itself lets the picture get darker only when it has nothing left.
  static let unknownEnd = -1.5

  /// Proportional to light.
  var light: Double { exp2(headroom) }
}
