import CYUV
import CaptureModel
import CaptureSystem

/// Cuts, turns and mirrors pictures of planes. It is not thread-safe: each worker has one.
final class PlaneTurner {
  private let scratch = (Scratch(), Scratch(), Scratch())
  private let scaled = (Scratch(), Scratch(), Scratch())

  /// Applies `transform` to a picture. The result is valid until the next call, and no longer than the picture. A crop alone copies nothing.
  func turn(_ picture: PlanarPicture, _ transform: PictureTransform) -> PlanarPicture {
    let size = FrameSize(width: picture.luma.width, height: picture.luma.height)
    let area = transform.area(in: size)
    var result = picture
    result.luma = picture.luma.cropped(to: area, .s444).turned(transform, in: scratch.0)
    if let chroma = picture.chroma {
      let shift = ChromaShift(of: picture)
      result.chroma = (
        chroma.u.cropped(to: area, shift).turned(transform, in: scratch.1),
        chroma.v.cropped(to: area, shift).turned(transform, in: scratch.2)
      )
    }
    return result
  }

  /// Applies `transform` and scales to `size`, with chroma of the size that `shift` says.
  func turn(_ picture: PlanarPicture, _ transform: PictureTransform, to size: FrameSize, _ shift: ChromaShift)
    -> PlanarPicture
  {
    var turned = transform.isIdentity ? picture : turn(picture, transform)
    turned.luma = turned.luma.scaled(width: size.width, height: size.height, in: scaled.0)
    if let chroma = turned.chroma {
      let (width, height) = (shift.narrowed(size.width), shift.lowered(size.height))
      turned.chroma = (
        chroma.u.scaled(width: width, height: height, in: scaled.1),
        chroma.v.scaled(width: width, height: height, in: scaled.2)
      )
    }
    return turned
  }
}

extension PictureTransform {
  /// Whether the transform turns or mirrors, rather than only cuts.
  var movesPixels: Bool { orientation != .upright || isMirrored }
}

extension Plane {
  /// The samples of an area of the picture. The plane has one sample for `1 << shift` pixels.
  fileprivate func cropped(to area: PixelArea, _ shift: ChromaShift) -> Plane {
    Plane(
      base: base + (area.y >> shift.y) * stride + (area.x >> shift.x), stride: stride,
      width: shift.narrowed(area.width), height: shift.lowered(area.height))
  }

  /// Returns the plane itself where there is nothing to do.
  fileprivate func turned(_ transform: PictureTransform, in scratch: Scratch) -> Plane {
    let orientation = transform.orientation
    if !transform.movesPixels { return self }
    let size = FrameSize(width: width, height: height).turned(orientation)
    let target = scratch.plane(width: size.width, height: size.height)
    let (sourceStride, targetStride) = (Int32(stride), Int32(target.stride))
    let (width, height) = (Int32(width), Int32(height))
    switch (orientation, transform.isMirrored) {
    case (.upright, _): MirrorPlane(base, sourceStride, target.base, targetStride, width, height)
    case (.upsideDown, false): RotatePlane180(base, sourceStride, target.base, targetStride, width, height)
    // After half a turn and mirroring, only the order of the rows has changed. With a negative height libyuv reads them from the last to the first.
    case (.upsideDown, true): CopyPlane(base, sourceStride, target.base, targetStride, width, -height)
    case (.clockwise90, let isMirrored):
      RotatePlane(
        base, sourceStride, target.base, targetStride, width, isMirrored ? -height : height, kRotate90)
    case (.clockwise270, let isMirrored):
      RotatePlane(
        base, sourceStride, target.base, targetStride, width, isMirrored ? -height : height, kRotate270)
    }
    return target.plane
  }
}
