/// How a picture fills a view that has another shape (`AVLayerVideoGravity`).
public enum VideoGravity: Hashable, Sendable, CaseIterable {
  /// The view shows the whole picture in its shape, with bars beside it (`resizeAspect`).
  case aspect
  /// The picture keeps its shape and fills the view; the rest is cut off (`resizeAspectFill`).
  case fill
  /// The picture is stretched to the view's shape (`resize`).
  case resize

  /// Where the whole picture lies in a view of size `view`. With ``fill`` it is larger than the view.
  public func rect(of picture: FrameSize, in view: ViewSize) -> ViewRect {
    let (x, y) = (view.width / Double(picture.width), view.height / Double(picture.height))
    let scale: (x: Double, y: Double) =
      switch self {
      case .aspect: (min(x, y), min(x, y))
      case .fill: (max(x, y), max(x, y))
      case .resize: (x, y)
      }
    let (width, height) = (Double(picture.width) * scale.x, Double(picture.height) * scale.y)
    return ViewRect(
      x: (view.width - width) / 2, y: (view.height - height) / 2, width: width, height: height)
  }
}

/// A size on a screen, in any unit: points, pixels.
public struct ViewSize: Hashable, Sendable {
  /// In the view's own unit.
  public var width: Double
  /// In the view's own unit.
  public var height: Double

  public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}

/// A place in a view: right and down from its top left corner.
public struct ViewPoint: Hashable, Sendable {
  /// From the left edge, in the view's own unit.
  public var x: Double
  /// From the top edge, in the view's own unit.
  public var y: Double

  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A rectangle in the coordinates of ``ViewPoint``.
public struct ViewRect: Hashable, Sendable {
  /// The left edge, from that of the view.
  public var x: Double
  /// The top edge, from that of the view.
  public var y: Double
  /// In the view's own unit.
  public var width: Double
  /// In the view's own unit.
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}
