/// A place in a picture whatever its size: from 0, 0 at the top left corner to 1, 1 at the bottom right.
///
/// As a point of interest (AVFoundation's `focusPointOfInterest`, `exposurePointOfInterest`) it lies in the sensor's own upright frame,
/// the whole of it, whatever a zoom or a connection makes of the picture: it stays on the same thing in the world as the zoom changes.
public struct NormalizedPoint: Hashable, Sendable {
  public let x: Double
  public let y: Double

  /// Throws `invalidArgument` unless both are numbers from 0 to 1.
  public init(x: Double, y: Double) throws(CaptureError) {
    guard (0...1).contains(x), (0...1).contains(y) else {
      throw CaptureError(
        .invalidArgument,
        "\(x),\(y) is no point of a picture; x and y go from 0,0 (top left) to 1,1 (bottom right)")
    }
    (self.x, self.y) = (x, y)
  }

  /// The nearest point of the picture to one that arithmetic may have put a hair outside of it.
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
