/// How a picture fills a view of another shape (`AVLayerVideoGravity`).
public enum VideoGravity: Hashable, Sendable, CaseIterable {
  /// Whole and in its shape, with bars beside it (`resizeAspect`).
  case aspect
  /// In its shape without bars; what does not fit is cut off (`resizeAspectFill`).
  case fill
  /// Stretched to the view's shape (`resize`).
  case resize

  /// Where the whole picture lies in a view of `view`; with ``fill`` it reaches beyond the view.
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

/// A size on a screen, in whatever units its user counts: points, pixels.
public struct ViewSize: Hashable, Sendable {
  public var width: Double
  public var height: Double

  public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}

/// A place in a view: right and down from its top left corner.
public struct ViewPoint: Hashable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A rectangle in the coordinates of ``ViewPoint``.
public struct ViewRect: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}
