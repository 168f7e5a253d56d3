extension PictureTransform {
  /// The pixels that are kept of a picture of size `source`. Edges inside the picture are rounded to even pixels: no pixel format has chroma samples
  /// wider or higher than two pixels, so no sample is cut. The area is at least 2x2, if the picture is.
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

  /// The transform with its crop rounded to pixels, as ``area(in:)`` does it for a picture of size `source`. `zoom`: a transform that was
  /// applied to that picture before; the crop is a part of its result.
  package func rounded(in source: FrameSize, after zoom: PictureTransform = .identity) -> PictureTransform {
    guard crop != .full else { return self }
    let area = zoom.then(self).area(in: source)
    let (width, height) = (Double(source.width), Double(source.height))
    func within(_ place: Double, _ start: Double, _ length: Double) -> Double { (place - start) / length }
    var rounded = self
    rounded.crop = NormalizedRect(
      left: within(Double(area.x) / width, zoom.crop.x, zoom.crop.width),
      top: within(Double(area.y) / height, zoom.crop.y, zoom.crop.height),
      right: within(Double(area.x + area.width) / width, zoom.crop.x, zoom.crop.width),
      bottom: within(Double(area.y + area.height) / height, zoom.crop.y, zoom.crop.height))
    return rounded
  }

  /// The size of the kept part of a picture of size `source`, turned, at the camera's resolution.
  public func size(of source: FrameSize) -> FrameSize { area(in: source).size.turned(orientation) }

  /// The size in which a picture of size `source` is delivered when the request names none. A part that has the picture's shape, as with zoom, is
  /// enlarged to the size of the picture, so that the size does not change with the zoom factor. Any other part comes at the camera's resolution.
  public func deliveredSize(of source: FrameSize) -> FrameSize {
    keepsShape ? source.turned(orientation) : size(of: source)
  }

  /// The size that a camera's picture must have so that a picture of size `delivered` can be made of it; `nil` where the shapes do not fit.
  package func sourceSize(for delivered: FrameSize) -> FrameSize? {
    keepsShape ? delivered.turned(orientation) : nil
  }

  private var keepsShape: Bool { abs(crop.width - crop.height) < 1e-6 }
}
