import CTurboJPEG
import CaptureModel
import CaptureSystem

/// Makes JPEGs of a camera's frames. One object for one worker; not thread-safe. Keeps its scratch memory between frames.
///
/// Y'CbCr goes into the JPEG as planes, never through RGB. Video range is widened to the full range that JFIF means.
public final class JPEGEncoder {
  private let handle = TurboJPEGHandle.compressor()
  private let decoder = JPEGDecoder()
  private let unpacker = Unpacker()
  private let converter = RGBConverter()
  private let scratch = (Scratch(), Scratch(), Scratch())

  public init() {}

  /// Pixel formats that can be encoded, those that cost least first.
  public static var pixelFormats: [PixelFormat] { PixelLayout.formats }

  public static func canEncode(_ format: PixelFormat) -> Bool { PixelLayout(format) != nil }

  /// The frame as a JPEG, in memory of `pool`.
  ///
  /// `size`: to scale down to; `nil` for the frame's own. `quality`: 1…100. `subsampling`: `nil` for 4:2:0 where the frame has no
  /// more chroma than that, else 4:2:2. Grey frames give grey JPEGs.
  ///
  /// Throws `invalidArgument` for a size or quality out of range, `unimplemented` for a pixel format that is not in
  /// ``pixelFormats``, `dataLoss` for a frame that is short or, of a JPEG camera, damaged.
  public func encode(
    _ frame: Frame, size: FrameSize? = nil, quality: Int = 80, subsampling: ChromaSubsampling? = nil,
    into pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    guard let layout = PixelLayout(frame.format.pixelFormat) else {
      throw CaptureError(.unimplemented, "no JPEG can be made of \(frame.format.pixelFormat) frames")
    }
    guard (1...100).contains(quality) else {
      throw CaptureError(.invalidArgument, "JPEG quality \(quality): it goes from 1 to 100")
    }
    let own = frame.format.size
    let size = size ?? own
    guard size.width > 0, size.height > 0, size.width <= own.width, size.height <= own.height else {
      throw CaptureError(.invalidArgument, "\(size): a picture of \(own) can only be scaled down")
    }
    let picture: PlanarPicture
    switch layout {
    case .rgb, .rgb16, .bayer:
      return try encode(
        converter.scale(pixels(frame, layout), to: size), quality, subsampling ?? .s422, pool)
    case .jpeg:
      guard frame.payload.segments.count == 1 else {
        throw CaptureError(.dataLoss, "a JPEG frame in \(frame.payload.segments.count) pieces")
      }
      picture = try decoder.decode(frame.payload.segments[0], size: own)
    default:
      picture = try planes(frame, layout)
    }
    return try encode(picture, size, quality, subsampling ?? picture.naturalSubsampling, pool)
  }

  private func pixels(_ frame: Frame, _ layout: PixelLayout) throws(CaptureError) -> RGBPicture {
    let bytes = try FrameBytes(frame)
    switch layout {
    case .rgb16(let kind): return try converter.rgb16(bytes, kind)
    case .bayer(let x, let y): return try converter.bayer(bytes, redX: x, redY: y)
    case .rgb(let order, let count):
      let source = try bytes.first(rowBytes: bytes.size.width * count)
      return RGBPicture(
        base: source.base, stride: source.stride, size: bytes.size, order: order, bytesPerPixel: count)
    default: preconditionFailure("\(layout) has no pixels")
    }
  }

  private func planes(_ frame: Frame, _ layout: PixelLayout) throws(CaptureError) -> PlanarPicture {
    let bytes = try FrameBytes(frame)
    switch layout {
    case .packed422(let lumaFirst, let uFirst):
      return try unpacker.packed(bytes, lumaFirst: lumaFirst, uFirst: uFirst)
    case .semiplanar(let shift, let uFirst): return try unpacker.semiplanar(bytes, shift, uFirst: uFirst)
    case .planar(let shift, let uFirst): return try unpacker.planar(bytes, shift, uFirst: uFirst)
    case .grey: return try unpacker.grey(bytes)
    default: preconditionFailure("\(layout) has no planes")
    }
  }
}

extension JPEGEncoder {
  private func encode(
    _ picture: RGBPicture, _ quality: Int, _ subsampling: ChromaSubsampling, _ pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    try compress(picture.size, subsampling.turboJPEG, pool) { handle, output, count in
      tjCompress2(
        handle, picture.base, Int32(picture.size.width), Int32(picture.stride), Int32(picture.size.height),
        picture.order.rawValue, output, count, subsampling.turboJPEG.rawValue.signed, Int32(quality),
        TJFLAG_NOREALLOC)
    }
  }

  private func encode(
    _ picture: PlanarPicture, _ size: FrameSize, _ quality: Int, _ subsampling: ChromaSubsampling,
    _ pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    let range: (luma: VideoRange?, chroma: VideoRange?) =
      picture.isFullRange ? (nil, nil) : (.luma, .chroma)
    let chroma = subsampling.chroma(width: size.width, height: size.height)
    let padded =
      picture.chroma == nil
      ? (size.width, size.height)
      : (chroma.width * 2, subsampling == .s420 ? chroma.height * 2 : size.height)
    let luma = picture.luma.resampled(
      width: size.width, height: size.height, padded: padded, from: range.luma, in: scratch.0)
    guard let color = picture.chroma else {
      return try compress([luma], size, TJSAMP_GRAY, quality, pool)
    }
    let u = color.u.resampled(
      width: chroma.width, height: chroma.height, padded: chroma, from: range.chroma, in: scratch.1)
    let v = color.v.resampled(
      width: chroma.width, height: chroma.height, padded: chroma, from: range.chroma, in: scratch.2)
    return try compress([luma, u, v], size, subsampling.turboJPEG, quality, pool)
  }

  private func compress(
    _ planes: [Plane], _ size: FrameSize, _ subsampling: TJSAMP, _ quality: Int, _ pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    var bases = planes.map { Optional($0.base) }
    var strides = planes.map { Int32($0.stride) }
    return try compress(size, subsampling, pool) { handle, output, count in
      tjCompressFromYUVPlanes(
        handle, &bases, Int32(size.width), &strides, Int32(size.height), subsampling.rawValue.signed, output,
        count, Int32(quality), TJFLAG_NOREALLOC)
    }
  }

  /// Lets `body` write into a pooled buffer with room for the largest JPEG of that size; its untouched pages cost nothing.
  private func compress(
    _ size: FrameSize, _ subsampling: TJSAMP, _ pool: PayloadPool,
    _ body: (tjhandle, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>) ->
      Int32
  ) throws(CaptureError) -> Payload {
    let bound = tjBufSize(Int32(size.width), Int32(size.height), subsampling.rawValue.signed)
    let buffer = pool.take(Int(bound))
    var output: UnsafeMutablePointer<UInt8>? = buffer.base.assumingMemoryBound(to: UInt8.self)
    var count = UInt(buffer.capacity)
    try handle.call("JPEG encoding failed", failing: .internal) { body($0, &output, &count) }
    return buffer.finish(count: Int(count))
  }
}

extension PlanarPicture {
  /// What keeps its chroma: 4:2:0 where it is halved in height.
  fileprivate var naturalSubsampling: ChromaSubsampling {
    guard let chroma, chroma.u.height < luma.height else { return .s422 }
    return .s420
  }
}

extension UInt32 {
  fileprivate var signed: Int32 { Int32(bitPattern: self) }
}
