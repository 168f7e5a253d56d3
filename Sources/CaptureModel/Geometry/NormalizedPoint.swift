/// A place in a picture of any size: from 0, 0 at the top left corner to 1, 1 at the bottom right.
///
/// A point of interest (AVFoundation's `focusPointOfInterest`, `exposurePointOfInterest`) lies in the sensor's own upright frame, the whole of it,
/// before a zoom or a connection changes the picture. So it stays on the same thing in the world when the zoom changes.
public struct NormalizedPoint: Hashable, Sendable {
  /// From 0, left, to 1, right.
  public let x: Double
  /// From 0, top, to 1, bottom.
  public let y: Double

  /// Throws `invalidArgument` unless both are numbers from 0 to 1.
  public init(x: Double, y: Double) throws(CaptureError) {
    guard (0...1).contains(x), (0...1).contains(y) else {
      throw CaptureError(
        .invalidArgument,
        "\(x),\(y) is no point of a picture; x and y go from 0,0 (top left) to 1,1 (bottom right)",
        .init(.valueOutOfRange, field: "point", asked: .text("\(x),\(y)"), range: .init(0, 1)))
    }
    (self.x, self.y) = (x, y)
  }

  /// Moves a point that rounding may have put just outside the picture to the nearest place inside.
  package init(clampingX x: Double, y: Double) {
    (self.x, self.y) = (min(max(x, 0), 1), min(max(y, 0), 1))
  }

  /// The middle of the picture.
  public static let center = NormalizedPoint(clampingX: 0.5, y: 0.5)
}

extension NormalizedPoint: CustomStringConvertible {
  /// "0.5,0.25", as it is written on a command line.
  public var description: String { "\(x),\(y)" }
}
