import CYUV
import CaptureModel
import CaptureSystem

/// Cuts, turns, mirrors and scales raw frames. The result has the frame's own pixel format. Each worker has its own; it is not thread-safe.
///
/// Samples are moved, not changed, with one exception: a quarter turn of 4:2:2 would halve the chroma in height instead of width, so each chroma sample
/// becomes the mean of two and is used for two rows. Scaling filters.
public final class FrameTurner {
  private let unpacker = Unpacker()
  private let turner = PlaneTurner()
  private let converter = RGBConverter()
  private let scratch = (Scratch(), Scratch(), Scratch())

  public init() {}

  /// Whether frames of that format can be turned: Y'CbCr, grey, or RGB in whole bytes.
  public static func canTurn(_ format: PixelFormat) -> Bool {
    switch PixelLayout(format) {
    case .packed422, .semiplanar, .planar, .grey, .rgb: true
    case .rgb16, .bayer, .jpeg, nil: false
    }
  }

  /// Transforms the frame according to `settings`, in memory of `pool`; the rows have no padding.
  ///
  /// Throws `invalidArgument` for a size larger than the turned frame's, `unimplemented` for a pixel format that cannot be turned, and `dataLoss` for a
  /// short frame.
  public func turn(
    _ frame: Frame, as settings: RawSettings, into pool: PayloadPool
  ) throws(CaptureError) -> RawPicture {
    try settings.size.check(within: frame.format.size, settings.transform)
    switch PixelLayout(frame.format.pixelFormat) {
    case .packed422(let lumaFirst, let uFirst):
      let picture = try unpacker.split(FrameBytes(frame), lumaFirst: lumaFirst, uFirst: uFirst)
      let planes = planes(picture, settings, .s422)
      return planes.packed(settings.size, lumaFirst: lumaFirst, uFirst: uFirst, into: pool)
    case .semiplanar(let shift, let uFirst):
      let picture = try unpacker.semiplanar(FrameBytes(frame), shift, uFirst: uFirst)
      return planes(picture, settings, shift)
        .semiplanar(settings.size, shift, uFirst: uFirst, pieces: frame.format.planes.count, into: pool)
    case .planar(let shift, let uFirst):
      let picture = try unpacker.planar(FrameBytes(frame), shift, uFirst: uFirst)
      return planes(picture, settings, shift)
        .planar(settings.size, shift, uFirst: uFirst, pieces: frame.format.planes.count, into: pool)
    case .grey:
      return planes(try unpacker.grey(FrameBytes(frame)), settings, .s444).grey(settings.size, into: pool)
    case .rgb(let order, let count):
      let bytes = try FrameBytes(frame)
      let source = try bytes.first(rowBytes: bytes.size.width * count)
      let picture = RGBPicture(
        base: source.base, stride: source.stride, size: bytes.size, order: order, bytesPerPixel: count)
      let turned = picture.turned(settings.transform, in: scratch.0)
      return turned.packed(settings.size, into: pool)
    case .rgb16, .bayer, .jpeg, nil:
      throw CaptureError(.unimplemented, "raw \(frame.format.pixelFormat) frames cannot be turned or cropped")
    }
  }

  /// The picture turned and scaled. Its chroma has the size that the pixel format needs.
  private func planes(_ picture: PlanarPicture, _ settings: RawSettings, _ shift: ChromaShift)
    -> PlanarPicture
  {
    var turned = turner.turn(picture, settings.transform)
    let size = settings.size
    turned.luma = turned.luma.scaled(width: size.width, height: size.height, in: scratch.0)
    if let chroma = turned.chroma {
      let (width, height) = (shift.narrowed(size.width), shift.lowered(size.height))
      turned.chroma = (
        chroma.u.scaled(width: width, height: height, in: scratch.1),
        chroma.v.scaled(width: width, height: height, in: scratch.2)
      )
    }
    return turned
  }
}

extension FrameSize {
  /// Throws `invalidArgument` unless a picture of this size can be made from one of size `source`: at most that size, turned.
  func check(within source: FrameSize, _ transform: PictureTransform) throws(CaptureError) {
    let most = source.turned(transform.orientation)
    guard width > 0, height > 0, width <= most.width, height <= most.height else {
      throw CaptureError(
        .invalidArgument, "\(self) is not possible: pictures of \(source) frames are at most \(most)")
    }
  }
}
