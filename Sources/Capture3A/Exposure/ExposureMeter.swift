import CaptureModel
import Glibc

/// Measures how bright a picture is against what it should be.
///
/// The target is light of 18 % of white, middle grey, which sRGB shows as 118 of 255: as the mean of a bell around the point of interest,
/// or of a wide one in the middle.
public struct ExposureMeter: Hashable, Sendable {
  /// `nil`: most of the picture, the middle more.
  public var point: NormalizedPoint?
  /// Of the picture, width by height.
  public var aspect: Double

  public static let target = 0.18
  /// Of the bells, in heights of the picture.
  static let spotRadius = 0.12
  static let wideRadius = 0.4

  public init(point: NormalizedPoint? = nil, aspect: Double = 4 / 3) {
    self.point = point
    self.aspect = aspect
  }

  public func reading(of frame: FrameStatistics) -> Reading {
    let zone = frame.mean(
      around: point ?? .center, radius: point == nil ? Self.wideRadius : Self.spotRadius, aspect: aspect)
    return Reading(luminance: zone.luminance, black: zone.black, white: zone.white)
  }

  public struct Reading: Hashable, Sendable {
    /// Proportional to light, 0…1.
    public var luminance: Double
    /// The parts, 0…1, whose light is too little or too much to tell.
    public var black: Double
    public var white: Double

    /// Light that is told from none.
    static let least = 0.003

    /// How much brighter than the target, in EV. Of a clipped picture it is more than that.
    public var offset: Double { log2(max(luminance, Self.least) / ExposureMeter.target) }

    /// The same with a guess for what clipped: white parts are about twice as bright as white.
    var estimatedOffset: Double { offset > 0 ? offset + white : offset }

    var isClipped: Bool { white > 0.2 || black > 0.2 || luminance <= Self.least }
  }
}
