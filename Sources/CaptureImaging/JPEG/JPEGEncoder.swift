import CTurboJPEG
import CaptureConvert
import CaptureModel
import CaptureSystem

/// Makes JPEGs of a camera's frames. It is not thread-safe: each worker has one. It keeps its scratch memory between frames.
///
/// Y'CbCr goes into the JPEG as planes, not through RGB, except for BT.2020 with constant luminance. Frames that do not have JFIF's full range and
/// BT.601's matrix are converted to these; primaries and transfer function stay as they are.
public final class JPEGEncoder {
  private var handle = TurboJPEGHandle.compressor()
  private let reader = FrameReader()
  private let converter = RGBConverter()
  private let turner = PlaneTurner()
  private let jpegTurner = JPEGTurner()
  private let turnedPixels = Scratch()
  private let scratch = PlaneMemory()

  public init() {}

  /// The pixel formats that can be encoded, those that cost least first.
  public static var pixelFormats: [PixelFormat] { PixelLayout.formats + FrameConverter.pixelFormats }

  public static func canEncode(_ format: PixelFormat) -> Bool { conversion(of: format) != nil }

  /// Turns the frame, scales it down to `size` if there is one, and encodes it in memory of `pool`. Grey frames give grey JPEGs.
  ///
  /// Throws the errors of ``encode(_:as:into:)``.
  public func encode(
    _ frame: Frame, size: FrameSize? = nil, quality: Int = 80, subsampling: ChromaSubsampling? = nil,
    transform: PictureTransform = .identity, into pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    let settings = JPEGSettings(
      size: size ?? transform.deliveredSize(of: frame.format.size), quality: quality,
      subsampling: subsampling, transform: transform)
    return try encode(frame, as: settings, into: pool)
  }

  /// Encodes the frame, in memory of `pool`. Without a subsampling the JPEG is 4:2:0 where the frame has no more chroma than that, and otherwise
  /// 4:2:2. A JPEG that is turned without loss keeps its own subsampling, but a quarter turn makes 4:4:0 of 4:2:2.
  ///
  /// Throws `invalidArgument` for a size or quality out of range, `unimplemented` for a pixel format that is not in ``pixelFormats``, and `dataLoss`
  /// for a frame that is short or, from a JPEG camera, damaged.
  public func encode(
    _ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    guard let (frame, layout) = try reader.plain(frame) else {
      throw CaptureError(.unimplemented, "no JPEG can be made of \(frame.format.pixelFormat) frames")
    }
    guard (1...100).contains(settings.quality) else {
      throw CaptureError(.invalidArgument, "JPEG quality \(settings.quality): it goes from 1 to 100")
    }
    let (own, size, transform) = (frame.format.size, settings.size, settings.transform)
    try size.check(within: own, transform)
    if layout == .jpeg, settings.isLosslessPreferred, size == transform.size(of: own),
      let jpeg = try jpegTurner.turn(FrameReader.jpeg(frame), size: own, transform, into: pool)
    {
      return jpeg
    }
    let narrowest = settings.decodesPart ? settings.transform.widthNeeded(for: settings.size) : nil
    switch try reader.read(frame, layout, .jfif, narrowest: narrowest) {
    case .pixels(let pixels, let subsampling): return try encode(pixels, settings, subsampling, pool)
    case .planes(let picture):
      let turned = transform.isIdentity ? picture : turner.turn(picture, transform)
      return try encode(
        turned, size, settings.quality, settings.subsampling ?? turned.naturalSubsampling, pool,
        // A turn copies the planes that were read, so that their memory is free for the encoder.
        in: transform.movesPixels ? reader.memory : scratch)
    }
  }

  private func encode(
    _ pixels: RGBPicture, _ settings: JPEGSettings, _ subsampling: ChromaSubsampling, _ pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    let turned = pixels.turned(settings.transform, in: turnedPixels)
    return try encode(
      converter.scale(turned, to: settings.size), settings.quality, settings.subsampling ?? subsampling, pool)
  }
}

extension JPEGEncoder {
  private func encode(
    _ picture: RGBPicture, _ quality: Int, _ subsampling: ChromaSubsampling, _ pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    try compress(picture.size, subsampling.turboJPEG, pool) { handle, output, count in
      tjCompress2(
        handle, picture.base, Int32(picture.size.width), Int32(picture.stride), Int32(picture.size.height),
        picture.order.rawValue, output, count, subsampling.turboJPEG.number, Int32(quality),
        TJFLAG_NOREALLOC)
    }
  }

  private func encode(
    _ picture: PlanarPicture, _ size: FrameSize, _ quality: Int, _ subsampling: ChromaSubsampling,
    _ pool: PayloadPool, in scratch: PlaneMemory
  ) throws(CaptureError) -> Payload {
    let range: (luma: VideoRange?, chroma: VideoRange?) =
      picture.isFullRange ? (nil, nil) : (.luma, .chroma)
    let chroma = subsampling.chroma(width: size.width, height: size.height)
    let padded =
      picture.chroma == nil
      ? (size.width, size.height)
      : (chroma.width * 2, subsampling == .s420 ? chroma.height * 2 : size.height)
    let luma = picture.luma.resampled(
      width: size.width, height: size.height, padded: padded, from: range.luma, in: scratch.luma)
    guard let color = picture.chroma else {
      return try compress([luma], size, TJSAMP_GRAY, quality, pool)
    }
    let u = color.u.resampled(
      width: chroma.width, height: chroma.height, padded: chroma, from: range.chroma, in: scratch.u)
    let v = color.v.resampled(
      width: chroma.width, height: chroma.height, padded: chroma, from: range.chroma, in: scratch.v)
    return try compress([luma, u, v], size, subsampling.turboJPEG, quality, pool)
  }

  private func compress(
    _ planes: [Plane], _ size: FrameSize, _ subsampling: TJSAMP, _ quality: Int, _ pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    var bases = planes.map { Optional($0.base) }
    var strides = planes.map { Int32($0.stride) }
    return try compress(size, subsampling, pool) { handle, output, count in
      tjCompressFromYUVPlanes(
        handle, &bases, Int32(size.width), &strides, Int32(size.height), subsampling.number, output,
        count, Int32(quality), TJFLAG_NOREALLOC)
    }
  }

  /// Lets `body` write into a pooled buffer with room for the largest JPEG of that size. Pages that `body` does not touch cost nothing.
  private func compress(
    _ size: FrameSize, _ subsampling: TJSAMP, _ pool: PayloadPool,
    _ body: (tjhandle, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>) ->
      Int32
  ) throws(CaptureError) -> Payload {
    let bound = tjBufSize(Int32(size.width), Int32(size.height), subsampling.number)
    let buffer = pool.take(Int(bound))
    var output: UnsafeMutablePointer<UInt8>? = buffer.base.assumingMemoryBound(to: UInt8.self)
    var count = UInt(buffer.capacity)
    try handle.call("JPEG encoding failed", failing: .internal) { body($0, &output, &count) }
    return buffer.finish(count: Int(count))
  }
}

extension PictureTransform {
  /// The least width that the camera's whole picture needs so that the cut and turned picture has that size.
  func widthNeeded(for size: FrameSize) -> Int {
    Int((Double(size.turned(orientation).width) / crop.width).rounded(.up))
  }
}
