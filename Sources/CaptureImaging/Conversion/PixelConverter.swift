import CYUV
import CaptureConvert
public import CaptureModel
public import CaptureSystem

/// Converts frames to the pixel format of a ``PixelTarget``. It takes every format that can be encoded as a JPEG. It is not thread-safe: each worker
/// has one. It keeps its scratch memory between frames.
///
/// A result in red, green and blue has the full range, whatever the frame's matrix and range. A result in Y'CbCr or grey keeps the frame's matrix and
/// range, or gets those of JFIF if the frame is in red, green and blue. Primaries and transfer function stay as they are.
public final class PixelConverter {
  private let reader = FrameReader()
  private let turner = PlaneTurner()
  private let scaler = RGBConverter()
  private let turned = Scratch()
  private let pixels = Scratch()
  private let neutral = Scratch()
  private let chroma = (Scratch(), Scratch())

  public init() {}

  /// Whether frames of that format can be converted.
  public static func canConvert(_ format: PixelFormat) -> Bool { JPEGEncoder.canEncode(format) }

  /// Whether frames of that format have luma alone.
  public static func isGrey(_ format: PixelFormat) -> Bool { FrameConverter.plainFormat(of: format) == .grey }

  /// Converts the frame, in memory of `pool`; the rows have no padding.
  ///
  /// Throws `invalidArgument` for a size larger than the turned frame's or one that the target cannot have, `unimplemented` for a format that cannot be
  /// converted, and `dataLoss` for a frame that is short or, from a JPEG camera, damaged.
  public func convert(
    _ frame: Frame, as settings: PixelSettings, into pool: PayloadPool
  ) throws(CaptureError) -> RawPicture {
    guard let (frame, layout) = try reader.plain(frame) else {
      throw CaptureError(.unimplemented, "\(frame.format.pixelFormat) frames cannot be converted")
    }
    let (own, size, transform) = (frame.format.size, settings.size, settings.transform)
    try size.check(within: own, transform)
    try settings.target.check(size, within: own.turned(transform.orientation))
    var picture = try convert(frame, layout, settings, pool)
    picture.color = layout.color(of: frame.format.color, as: settings.target)
    return picture
  }

  private func convert(
    _ frame: Frame, _ layout: PixelLayout, _ settings: PixelSettings, _ pool: PayloadPool
  ) throws(CaptureError) -> RawPicture {
    let (size, transform) = (settings.size, settings.transform)
    if transform.isIdentity, size == frame.format.size,
      let picture = try layout.convertDirectly(frame, settings.target, into: pool)
    {
      return picture
    }
    let narrowest = settings.decodesPart ? transform.widthNeeded(for: size) : nil
    switch try reader.read(frame, layout, settings.target.isRGB ? .rec601 : .own, narrowest: narrowest) {
    case .planes(let planes):
      return settings.target.isRGB ? rgb(planes, settings, pool) : ycbcr(planes, settings, pool)
    case .pixels(let pixels, _):
      let picture = scaler.scale(pixels.turned(transform, in: turned), to: size)
      return settings.target.isRGB
        ? picture.packed(settings.target, into: pool) : ycbcr(picture, settings.target, pool)
    }
  }

  /// The picture is turned last: a quarter turn would blur the chroma of 4:2:2.
  private func rgb(_ picture: PlanarPicture, _ settings: PixelSettings, _ pool: PayloadPool) -> RawPicture {
    let (target, size, transform) = (settings.target, settings.size, settings.transform)
    let upright = size.turned(transform.orientation)
    let shift = ChromaShift(of: picture)
    let planes = turner.turn(
      picture, PictureTransform(crop: transform.crop), to: upright,
      shift == ChromaShift(x: 0, y: 1) ? .s444 : shift
    ).colored(in: neutral)
    let row = size.width * target.bytesPerPixel
    return pool.picture([PlaneLayout(stride: row, bytes: row * size.height)]) { base in
      if transform.orientation == .upright, !transform.isMirrored {
        return planes.convert(to: target, base, stride: row)
      }
      let whole = pixels.plane(width: upright.width * target.bytesPerPixel, height: upright.height)
      planes.convert(to: target, whole.base, stride: whole.stride)
      RGBPicture(
        base: whole.base, stride: whole.stride, size: upright, order: target.order,
        bytesPerPixel: target.bytesPerPixel
      ).turn(transform, to: base, stride: row)
    }
  }

  private func ycbcr(_ picture: PlanarPicture, _ settings: PixelSettings, _ pool: PayloadPool) -> RawPicture {
    let (target, size) = (settings.target, settings.size)
    var source = picture
    if target == .grey { source.chroma = nil }
    let planes = turner.turn(source, settings.transform, to: size, .s420)
    switch target {
    case .grey: return planes.grey(size, into: pool)
    case .nv12:
      return planes.colored(in: neutral).semiplanar(size, .s420, uFirst: true, pieces: 1, into: pool)
    default: return planes.colored(in: neutral).planar(size, .s420, uFirst: true, pieces: 1, into: pool)
    }
  }

  private func ycbcr(_ picture: RGBPicture, _ target: PixelTarget, _ pool: PayloadPool) -> RawPicture {
    let (size, bgra) = (picture.size, picture.ordered(in: pixels))
    let (from, stride) = (bgra.base, Int32(bgra.stride))
    let (width, height) = (Int32(size.width), Int32(size.height))
    return pool.picture(target, size) { base in
      guard target != .grey else {
        _ = ARGBToJ400(from, stride, base, width, width, height)
        return
      }
      let (pairs, rows) = (size.width / 2, size.height / 2)
      let behind = base + size.area
      let isPlanar = target == .i420
      let u = isPlanar ? behind : chroma.0.bytes(pairs * rows)
      let v = isPlanar ? behind + pairs * rows : chroma.1.bytes(pairs * rows)
      _ = ARGBToJ420(from, stride, base, width, u, width / 2, v, width / 2, width, height)
      if !isPlanar { MergeUVPlane(u, width / 2, v, width / 2, behind, width, width / 2, height / 2) }
    }
  }
}
