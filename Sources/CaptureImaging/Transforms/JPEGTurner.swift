import CTurboJPEG
public import CaptureModel
public import CaptureSystem

/// Cuts, turns and mirrors a camera's JPEGs without decoding them: it moves their coefficients, and nothing is lost. It is not thread-safe: each
/// worker has one.
///
/// This works in whole MCUs (8, 16 or 32 pixels wide, 8 or 16 high). It is impossible where an edge that has to move is not the end of an MCU, or
/// where a crop does not begin with one. Quarter turns of 4:2:2 give 4:4:0.
final class JPEGTurner {
  private var handle = TurboJPEGHandle.transformer()

  /// Returns the transformed picture in memory of `pool`; `nil` where whole MCUs do not allow it. It accepts only a baseline JPEG of exactly `size`; an
  /// incomplete one is `dataLoss`.
  func turn(
    _ bytes: UnsafeRawBufferPointer, size: FrameSize, _ transform: PictureTransform, into pool: PayloadPool
  ) throws(CaptureError) -> Payload? {
    let count: Int
    switch JPEGCheck(bytes, size: size) {
    case .whole(let whole): count = whole
    case .damaged(let reason): throw CaptureError(.dataLoss, "damaged JPEG: \(reason)")
    }
    guard var change = try change(bytes.prefix(count), size, transform) else { return nil }
    let data = bytes.bindMemory(to: UInt8.self).baseAddress!
    let area = transform.area(in: size)
    let result = area.size.turned(transform.orientation)
    let bound = tjBufSize(Int32(result.width), Int32(result.height), TJSAMP_444.number)
    let buffer = pool.take(Int(bound))
    var output: UnsafeMutablePointer<UInt8>? = buffer.base.assumingMemoryBound(to: UInt8.self)
    var written = UInt(buffer.capacity)
    try handle.call("damaged JPEG", failing: .dataLoss) {
      tjTransform(
        $0, data, UInt(count), 1, &output, &written, &change, TJFLAG_NOREALLOC | TJFLAG_STOPONWARNING)
    }
    return buffer.finish(count: Int(written))
  }

  /// Whether ``turn(_:size:_:into:)`` can do it.
  func canTurn(
    _ bytes: UnsafeRawBufferPointer, size: FrameSize, _ transform: PictureTransform
  ) throws(CaptureError) -> Bool {
    try change(bytes[...], size, transform) != nil
  }

  /// The change that libjpeg has to make; `nil` where whole MCUs do not allow it.
  private func change(
    _ bytes: Slice<UnsafeRawBufferPointer>, _ size: FrameSize, _ transform: PictureTransform
  ) throws(CaptureError) -> tjtransform? {
    let data = UnsafeRawBufferPointer(rebasing: bytes).bindMemory(to: UInt8.self).baseAddress!
    var (width, height, subsampling, colorspace) = (Int32(0), Int32(0), Int32(-1), Int32(-1))
    try handle.call("damaged JPEG", failing: .dataLoss) {
      tjDecompressHeader3($0, data, UInt(bytes.count), &width, &height, &subsampling, &colorspace)
    }
    // A subsampling for which TurboJPEG has no name is refused: it cannot be told from a damaged one.
    guard size == FrameSize(width: Int(width), height: Int(height)), subsampling >= 0,
      subsampling < TJ_NUMSAMP, let operation = TJXOP(transform, size, MCU(subsampling: subsampling))
    else { return nil }
    var change = tjtransform()
    change.op = Int32(bitPattern: operation.rawValue)
    change.options = TJXOPT_PERFECT | TJXOPT_COPYNONE
    let area = transform.area(in: size)
    guard area.size != size else { return change }
    let target = transform.placed(area, in: size)
    guard target.x % 16 == 0, target.y % 16 == 0 else { return nil }
    change.r = tjregion(
      x: Int32(target.x), y: Int32(target.y), w: Int32(target.width), h: Int32(target.height))
    change.options |= TJXOPT_CROP
    return change
  }
}

extension JPEGEncoder {
  /// Whether a camera's JPEG can be cut, turned and mirrored without decoding it. Throws `dataLoss` for one that is damaged in its headers.
  public static func canTurnWithoutLoss(
    _ jpeg: Payload, size: FrameSize, _ transform: PictureTransform
  ) throws(CaptureError) -> Bool {
    guard jpeg.segments.count == 1 else { return false }
    return try JPEGTurner().canTurn(jpeg.segments[0], size: size, transform)
  }
}

/// The smallest piece of a JPEG that can be moved.
private struct MCU {
  var width: Int
  var height: Int

  init(subsampling: Int32) {
    let chroma = TJSAMP(number: subsampling)
    width = chroma == TJSAMP_411 ? 32 : chroma == TJSAMP_422 || chroma == TJSAMP_420 ? 16 : 8
    height = chroma == TJSAMP_440 || chroma == TJSAMP_420 ? 16 : 8
  }
}

extension TJXOP {
  /// `nil` where an edge inside of an MCU would have to move.
  fileprivate init?(_ transform: PictureTransform, _ size: FrameSize, _ mcu: MCU) {
    let (isWholeWide, isWholeHigh) = (size.width % mcu.width == 0, size.height % mcu.height == 0)
    let isPossible: Bool
    // The turn and then the mirror, in libjpeg's terms.
    switch (transform.orientation, transform.isMirrored) {
    case (.upright, false): (self, isPossible) = (TJXOP_NONE, true)
    case (.upright, true): (self, isPossible) = (TJXOP_HFLIP, isWholeWide)
    case (.clockwise90, false): (self, isPossible) = (TJXOP_ROT90, isWholeHigh)
    case (.clockwise90, true): (self, isPossible) = (TJXOP_TRANSPOSE, true)
    case (.upsideDown, false): (self, isPossible) = (TJXOP_ROT180, isWholeWide && isWholeHigh)
    case (.upsideDown, true): (self, isPossible) = (TJXOP_VFLIP, isWholeHigh)
    case (.clockwise270, false): (self, isPossible) = (TJXOP_ROT270, isWholeWide)
    case (.clockwise270, true): (self, isPossible) = (TJXOP_TRANSVERSE, isWholeWide && isWholeHigh)
    }
    if !isPossible { return nil }
  }
}

extension PictureTransform {
  /// Where an area of a picture of size `size` lies after the whole picture is turned and mirrored.
  fileprivate func placed(_ area: PixelArea, in size: FrameSize) -> PixelArea {
    let (right, bottom) = (size.width - area.x - area.width, size.height - area.y - area.height)
    let full = size.turned(orientation)
    let kept = area.size.turned(orientation)
    var (x, y) =
      switch orientation {
      case .upright: (area.x, area.y)
      case .clockwise90: (bottom, area.x)
      case .upsideDown: (right, bottom)
      case .clockwise270: (area.y, right)
      }
    if isMirrored { x = full.width - x - kept.width }
    return PixelArea(x: x, y: y, width: kept.width, height: kept.height)
  }
}
