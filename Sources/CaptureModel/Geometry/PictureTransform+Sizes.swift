extension PictureTransform {
  /// The pixels of a picture of `source` that are kept. Edges inside the picture are rounded to even pixels: no pixel format has
  /// chroma samples wider or higher than two, so none is cut. At least 2x2, where the picture is.
  package func area(in source: FrameSize) -> PixelArea {
    func span(_ from: Double, _ to: Double, _ length: Int) -> (start: Int, count: Int) {
      func even(_ place: Double) -> Int { Int((place * Double(length) / 2).rounded()) * 2 }
      let end = to >= 1 ? length : min(even(to), length)
      let start = max(min(even(from), (end - 2) & ~1), 0)
      return (start, max(end - start, min(2, length)))
    }
    let (x, width) = span(crop.x, crop.right, source.width)
    let (y, height) = span(crop.y, crop.bottom, source.height)
    return PixelArea(x: x, y: y, width: width, height: height)
  }

  /// The size of what is kept of a picture of `source`, turned, at the camera's resolution.
  public func size(of source: FrameSize) -> FrameSize { area(in: source).size.turned(orientation) }

  /// The size that is delivered of a picture of `source` when none is asked for. What keeps the picture's shape, as zoom does, is enlarged to
  /// the size the picture had, so that a changing factor changes no size; any other part comes at the camera's resolution.
  public func deliveredSize(of source: FrameSize) -> FrameSize {
    keepsShape ? source.turned(orientation) : size(of: source)
  }

  /// The size a camera's picture needs to have for one of `delivered`; `nil` where that takes a shape that the picture has not.
  package func sourceSize(for delivered: FrameSize) -> FrameSize? {
    keepsShape ? delivered.turned(orientation) : nil
  }

  private var keepsShape: Bool { abs(crop.width - crop.height) < 1e-6 }
}
