import CPixelKernels
import CaptureModel
import CaptureSystem

extension RGBPicture {
  /// Applies `transform` to the picture. The picture and `scratch` must outlive the result. A crop alone copies nothing.
  func turned(_ transform: PictureTransform, in scratch: Scratch) -> RGBPicture {
    let area = transform.area(in: size)
    var result = self
    result.base = base + area.y * stride + area.x * bytesPerPixel
    result.size = area.size
    if transform.orientation == .upright, !transform.isMirrored { return result }

    let (pixel, row) = (bytesPerPixel, stride)
    let (last, bottom) = ((area.width - 1) * pixel, (area.height - 1) * row)
    // The source of the first pixel, and the steps to its right and lower neighbours.
    var steps: (first: Int, right: Int, down: Int) =
      switch transform.orientation {
      case .upright: (0, pixel, row)
      case .clockwise90: (bottom, -row, pixel)
      case .upsideDown: (bottom + last, -pixel, -row)
      case .clockwise270: (last, row, -pixel)
      }
    let size = area.size.turned(transform.orientation)
    if transform.isMirrored {
      steps = (steps.first + steps.right * (size.width - 1), -steps.right, steps.down)
    }
    let target = scratch.plane(width: size.width * pixel, height: size.height)
    pixels_turn(
      result.base + steps.first, steps.right, steps.down, target.base, target.stride, size.width, size.height,
      pixel)
    (result.base, result.stride, result.size) = (UnsafePointer(target.base), target.stride, size)
    return result
  }
}
