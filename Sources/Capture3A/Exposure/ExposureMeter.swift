import CaptureModel
import Glibc

/// Measures how bright a picture is, relative to how bright it should be.
///
/// The target is middle grey: light of 18 % of white, which sRGB shows as 118 of 255. The meter takes the mean light of the picture, weighted by a
/// bell curve around the point of interest, or by a wider one around the middle.
public struct ExposureMeter: Hashable, Sendable {
  /// The point of interest; `nil`: the meter measures most of the picture, and weighs the middle more.
  public var point: NormalizedPoint?
  /// The picture's width divided by its height.
  public var aspect: Double

  public static let target = 0.18
  /// The radius of the bell curve around a point of interest, in heights of the picture.
  static let spotRadius = 0.12
  /// The radius of the bell curve around the middle, where there is no point of interest, in heights of the picture.
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
    /// The part of the picture, 0 to 1, that is too dark to measure.
    public var black: Double
    /// The part of the picture, 0 to 1, that is too bright to measure.
    public var white: Double

    /// The least luminance that can be told from black.
    static let least = 0.003

    /// How much brighter than the target the picture is, in EV. A clipped picture is off by more than this value.
    public var offset: Double { log2(max(luminance, Self.least) / ExposureMeter.target) }

    /// The offset with a guess for the white parts of a picture that is too bright. They are assumed to have about twice the light of white, and so
    /// add up to 1 EV, by their share of the picture.
    var estimatedOffset: Double { offset > 0 ? offset + white : offset }

    var isClipped: Bool { white > 0.2 || black > 0.2 || luminance <= Self.least }
  }
}
