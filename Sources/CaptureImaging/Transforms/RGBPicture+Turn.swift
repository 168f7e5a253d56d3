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

    let size = area.size.turned(transform.orientation)
    let target = scratch.plane(width: size.width * bytesPerPixel, height: size.height)
    result.turn(transform, to: target.base, stride: target.stride)
    (result.base, result.stride, result.size) = (UnsafePointer(target.base), target.stride, size)
    return result
  }

  /// Writes the whole picture, turned and mirrored as `transform` says.
  func turn(_ transform: PictureTransform, to target: UnsafeMutablePointer<UInt8>, stride targetStride: Int) {
    let (pixel, row) = (bytesPerPixel, stride)
    let (last, bottom) = ((size.width - 1) * pixel, (size.height - 1) * row)
    // The source of the result's first pixel, and the steps to the sources of its right and lower neighbours.
    var steps: (first: Int, right: Int, down: Int) =
      switch transform.orientation {
      case .upright: (0, pixel, row)
      case .clockwise90: (bottom, -row, pixel)
      case .upsideDown: (bottom + last, -pixel, -row)
      case .clockwise270: (last, row, -pixel)
      }
    let size = size.turned(transform.orientation)
    if transform.isMirrored {
      steps = (steps.first + steps.right * (size.width - 1), -steps.right, steps.down)
    }
    pixels_turn(
      base + steps.first, steps.right, steps.down, target, targetStride, size.width, size.height, pixel)
  }
}
