import CPixelKernels
import CaptureConvert
import CaptureModel
import CaptureSystem

/// A frame as planes or as pixels, in the memory of the frame or of its reader.
enum ReadFrame {
  case planes(PlanarPicture)
  /// Red, green and blue in the full range. `subsampling`: the default for a JPEG of these pixels.
  case pixels(RGBPicture, subsampling: ChromaSubsampling)
}

/// Reads frames of any pixel format. A result is valid until the next call. It is not thread-safe: each worker has one.
final class FrameReader {
  private let frames = FrameConverter()
  /// The memory into which frames are decoded or unpacked.
  let memory = PlaneMemory()
  private let decoder: JPEGDecoder
  private let unpacker: Unpacker
  private let matrixConverter = MatrixConverter()
  private let converter = RGBConverter()
  private let chroma = (Scratch(), Scratch())

  init() {
    decoder = JPEGDecoder(into: memory)
    unpacker = Unpacker(into: memory)
  }

  /// How samples of Y'CbCr are read.
  enum Samples {
    /// As they are.
    case own
    /// In BT.601's matrix. Samples that have this matrix already may keep the limited range: those of planar frames do.
    case jfif
    /// In BT.601's matrix. Samples that have this matrix already are not changed: to widen their range would clip values of luma and chroma that
    /// together are a valid colour.
    case rec601
  }

  /// The frame in a format that has a layout, and that layout; `nil`: nothing reads its format. Throws `dataLoss` for a damaged frame.
  func plain(_ frame: Frame) throws(CaptureError) -> (frame: Frame, layout: PixelLayout)? {
    let plain = try frames.plain(frame)
    return PixelLayout(plain.format.pixelFormat).map { (plain, $0) }
  }

  /// Reads a frame that ``plain(_:)`` returned. Throws `dataLoss` for one that is short or damaged. `narrowest`: a JPEG may be decoded
  /// at a smaller size that has at least this width.
  func read(
    _ frame: Frame, _ layout: PixelLayout, _ samples: Samples, narrowest: Int? = nil
  ) throws(CaptureError) -> ReadFrame {
    switch layout {
    case .rgb, .rgb16, .bayer: return .pixels(try pixels(frame, layout), subsampling: .s422)
    case .jpeg:
      return .planes(
        withRegularChroma(
          try decoder.decode(Self.jpeg(frame), size: frame.format.size, narrowest: narrowest)))
    case .packed422, .semiplanar, .planar, .grey:
      let planes = try planes(frame, layout, samples)
      guard samples != .own else { return .planes(planes) }
      if planes.matrix == .rec2020ConstantLuminance, planes.chroma != nil {
        return .pixels(
          matrixConverter.pixels(constantLuminance: planes), subsampling: planes.naturalSubsampling)
      }
      return .planes(matrixConverter.convert(planes))
    }
  }

  /// The bytes of a camera's JPEG.
  static func jpeg(_ frame: Frame) throws(CaptureError) -> UnsafeRawBufferPointer {
    guard frame.payload.segments.count == 1 else {
      throw CaptureError(.dataLoss, "a JPEG frame in \(frame.payload.segments.count) pieces")
    }
    return frame.payload.segments[0]
  }

  private func pixels(_ frame: Frame, _ layout: PixelLayout) throws(CaptureError) -> RGBPicture {
    let bytes = try FrameBytes(frame)
    let picture: RGBPicture
    switch layout {
    case .rgb16(let kind): picture = try converter.rgb16(bytes, kind)
    case .bayer(let x, let y): picture = try converter.bayer(bytes, redX: x, redY: y)
    case .rgb(let order, let count): picture = try RGBPicture(bytes, order, bytesPerPixel: count)
    default: preconditionFailure("\(layout) has no pixels")
    }
    return frame.format.isFullRange ? picture : converter.widened(picture)
  }

  private func planes(_ frame: Frame, _ layout: PixelLayout, _ samples: Samples) throws(CaptureError)
    -> PlanarPicture
  {
    let bytes = try FrameBytes(frame)
    switch layout {
    case .packed422(let lumaFirst, let uFirst):
      let isSplit =
        samples == .own
        || samples == .rec601
          && ycbcr_matrix(frame.format.matrix, isFullRange: frame.format.isFullRange) == nil
      return isSplit
        ? try unpacker.split(bytes, lumaFirst: lumaFirst, uFirst: uFirst)
        : try unpacker.packed(bytes, lumaFirst: lumaFirst, uFirst: uFirst)
    case .semiplanar(let shift, let uFirst): return try unpacker.semiplanar(bytes, shift, uFirst: uFirst)
    case .planar(let shift, let uFirst): return try unpacker.planar(bytes, shift, uFirst: uFirst)
    case .grey: return try unpacker.grey(bytes)
    default: preconditionFailure("\(layout) has no planes")
    }
  }

  /// Widens chroma that is narrower than half the luma, as in JPEGs of 4:1:1. A picture's ``ChromaShift`` is at most 1, so it cannot express that.
  private func withRegularChroma(_ picture: PlanarPicture) -> PlanarPicture {
    guard let chroma = picture.chroma else { return picture }
    let shift = ChromaShift(of: picture)
    let (width, height) = (shift.narrowed(picture.luma.width), shift.lowered(picture.luma.height))
    var result = picture
    result.chroma = (
      chroma.u.scaled(width: width, height: height, in: self.chroma.0),
      chroma.v.scaled(width: width, height: height, in: self.chroma.1)
    )
    return result
  }
}

extension PlanarPicture {
  /// The subsampling that keeps the chroma: 4:2:0 if the chroma is halved in height, otherwise 4:2:2.
  var naturalSubsampling: ChromaSubsampling {
    guard let chroma, chroma.u.height < luma.height else { return .s422 }
    return .s420
  }
}
