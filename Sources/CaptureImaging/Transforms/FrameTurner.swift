import CYUV
import CaptureModel
import CaptureSystem

/// Cuts, turns, mirrors and scales raw frames. The result has the frame's own pixel format. It is not thread-safe: each worker has one.
///
/// Samples are moved, not changed, with one exception: a quarter turn of 4:2:2 would halve the chroma in height instead of width, so each chroma
/// sample becomes the mean of two and is used for two rows. Scaling mixes neighbouring samples.
public final class FrameTurner {
  private let unpacker = Unpacker()
  private let turner = PlaneTurner()
  private let scratch = Scratch()

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
      return turner.turn(picture, settings.transform, to: settings.size, .s422)
        .packed(settings.size, lumaFirst: lumaFirst, uFirst: uFirst, into: pool)
    case .semiplanar(let shift, let uFirst):
      let picture = try unpacker.semiplanar(FrameBytes(frame), shift, uFirst: uFirst)
      return turner.turn(picture, settings.transform, to: settings.size, shift)
        .semiplanar(settings.size, shift, uFirst: uFirst, pieces: frame.format.planes.count, into: pool)
    case .planar(let shift, let uFirst):
      let picture = try unpacker.planar(FrameBytes(frame), shift, uFirst: uFirst)
      return turner.turn(picture, settings.transform, to: settings.size, shift)
        .planar(settings.size, shift, uFirst: uFirst, pieces: frame.format.planes.count, into: pool)
    case .grey:
      return turner.turn(
        try unpacker.grey(FrameBytes(frame)), settings.transform, to: settings.size, .s444
      ).grey(settings.size, into: pool)
    case .rgb(let order, let count):
      let picture = try RGBPicture(FrameBytes(frame), order, bytesPerPixel: count)
      let turned = picture.turned(settings.transform, in: scratch)
      return turned.packed(settings.size, into: pool)
    case .rgb16, .bayer, .jpeg, nil:
      throw CaptureError(.unimplemented, "raw \(frame.format.pixelFormat) frames cannot be turned or cropped")
    }
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
