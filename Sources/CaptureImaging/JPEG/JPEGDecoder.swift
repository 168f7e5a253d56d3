import CTurboJPEG
import CaptureModel
import CaptureSystem

/// Decodes a camera's JPEGs to planes. It is not thread-safe: each worker has one.
final class JPEGDecoder {
  private var handle = TurboJPEGHandle.decompressor()
  private let scratch: PlaneMemory

  init(into memory: PlaneMemory = PlaneMemory()) { scratch = memory }

  /// Returns the picture's planes, which are valid until the next call. It decodes only a baseline JPEG of exactly `size`: with libjpeg-turbo's own
  /// limits, small files could cost seconds and hundreds of megabytes. An incomplete picture is `dataLoss`.
  ///
  /// `narrowest`: decodes at a half, a quarter or an eighth, whichever is the smallest with at least this width; `nil`: the full size.
  func decode(
    _ bytes: UnsafeRawBufferPointer, size: FrameSize, narrowest: Int? = nil
  ) throws(CaptureError) -> PlanarPicture {
    let count: Int
    switch JPEGCheck(bytes, size: size) {
    case .whole(let whole): count = whole
    case .damaged(let reason): throw CaptureError(.dataLoss, "damaged JPEG: \(reason)")
    }
    let data = bytes.bindMemory(to: UInt8.self).baseAddress!
    var (width, height, subsampling, colorspace) = (Int32(0), Int32(0), Int32(-1), Int32(-1))
    try handle.call("damaged JPEG", failing: .dataLoss) {
      tjDecompressHeader3($0, data, UInt(count), &width, &height, &subsampling, &colorspace)
    }
    guard size == FrameSize(width: Int(width), height: Int(height)),
      subsampling >= 0, subsampling < TJ_NUMSAMP,
      colorspace == TJCS_YCbCr.rawValue || colorspace == TJCS_GRAY.rawValue
    else { throw CaptureError(.dataLoss, "damaged JPEG: of a kind that no camera sends") }
    if let narrowest, let divisor = [Int32(8), 4, 2].first(where: { Int(width / $0) >= narrowest }) {
      (width, height) = ((width + divisor - 1) / divisor, (height + divisor - 1) / divisor)
    }

    let targets = [scratch.luma, scratch.u, scratch.v].prefix(subsampling == TJSAMP_GRAY.rawValue ? 1 : 3)
      .enumerated().map { component, scratch in
        scratch.plane(
          width: Int(tjPlaneWidth(Int32(component), width, subsampling)),
          height: Int(tjPlaneHeight(Int32(component), height, subsampling)))
      }
    var planes = targets.map { Optional($0.base) }
    var strides = targets.map { Int32($0.stride) }
    // A warning of padding behind the last block is accepted: all planes are done when it comes.
    try handle.call("damaged JPEG", failing: .dataLoss, accepting: JPEGCheck.isPadding) {
      tjDecompressToYUVPlanes(
        $0, data, UInt(count), &planes, width, &strides, height, TJFLAG_STOPONWARNING)
    }
    var luma = targets[0].plane
    (luma.width, luma.height) = (Int(width), Int(height))
    return PlanarPicture(
      luma: luma, chroma: targets.count == 3 ? (targets[1].plane, targets[2].plane) : nil, isFullRange: true)
  }
}
