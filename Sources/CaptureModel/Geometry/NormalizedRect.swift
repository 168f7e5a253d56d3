/// A part of a picture of any size, in the coordinates of ``NormalizedPoint`` (AVFoundation's rectangle of interest and of metadata).
public struct NormalizedRect: Hashable, Sendable {
  /// The left edge, 0 to 1.
  public let x: Double
  /// The top edge, 0 to 1.
  public let y: Double
  /// Above 0, at most 1.
  public let width: Double
  /// Above 0, at most 1.
  public let height: Double

  /// Throws `invalidArgument` unless the rectangle has an area and lies in the picture: 0 ≤ x < x + width ≤ 1, and the same for y.
  public init(x: Double, y: Double, width: Double, height: Double) throws(CaptureError) {
    func fits(_ origin: Double, _ length: Double) -> Bool {
      origin >= 0 && length >= Self.smallest && origin + length <= 1 + Self.tolerance
    }
    guard fits(x, width), fits(y, height) else {
      throw CaptureError(
        .invalidArgument,
        "\(width)x\(height) at \(x),\(y) is no part of a picture; it must lie between 0,0 (top left) and 1,1 "
          + "(bottom right) and have an area",
        .init(.valueOutOfRange, field: "crop", asked: .text("\(x),\(y),\(width),\(height)")))
    }
    self.init(left: x, top: y, right: min(x + width, 1), bottom: min(y + height, 1))
  }

  /// The shortest side that a rectangle may have: less than a pixel of any picture.
  private static let smallest = 1e-6
  /// How far rounding may put an edge outside the picture.
  private static let tolerance = 1e-9

  /// The edges lie in the picture, except for rounding.
  package init(left: Double, top: Double, right: Double, bottom: Double) {
    (x, y) = (min(max(left, 0), 1), min(max(top, 0), 1))
    (width, height) = (min(max(right, 0), 1) - x, min(max(bottom, 0), 1) - y)
  }

  /// The smallest rectangle that contains both points.
  init(corners a: NormalizedPoint, _ b: NormalizedPoint) {
    self.init(left: min(a.x, b.x), top: min(a.y, b.y), right: max(a.x, b.x), bottom: max(a.y, b.y))
  }

  /// The whole picture.
  public static let full = NormalizedRect(left: 0, top: 0, right: 1, bottom: 1)

  /// The right edge, 0 to 1.
  public var right: Double { x + width }
  /// The bottom edge, 0 to 1.
  public var bottom: Double { y + height }
  /// The corner at the top left.
  public var topLeft: NormalizedPoint { NormalizedPoint(clampingX: x, y: y) }
  /// The corner at the bottom right.
  public var bottomRight: NormalizedPoint { NormalizedPoint(clampingX: right, y: bottom) }
  /// The middle.
  public var center: NormalizedPoint { NormalizedPoint(clampingX: x + width / 2, y: y + height / 2) }

  /// Whether the point lies in the rectangle or on its edge.
  public func contains(_ point: NormalizedPoint) -> Bool {
    point.x >= x && point.x <= right && point.y >= y && point.y <= bottom
  }

  /// The area that both rectangles have in common; `nil` where there is none.
  public func intersection(_ other: NormalizedRect) -> NormalizedRect? {
    let (left, right) = (max(x, other.x), min(self.right, other.right))
    let (top, bottom) = (max(y, other.y), min(self.bottom, other.bottom))
    guard left < right, top < bottom else { return nil }
    return NormalizedRect(left: left, top: top, right: right, bottom: bottom)
  }
}
