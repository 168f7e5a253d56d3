import CPixelKernels
public import CaptureModel
import CaptureSystem

/// Converts frames in formats that libjpeg-turbo and libyuv cannot read into formats that they can. Loops of this module convert simple layouts;
/// libv4lconvert converts the others. Colours stay as the driver described them, except that some results of libv4lconvert have the full range. It is
/// not thread-safe: each worker has one. It keeps its memory between frames.
public final class FrameConverter {
  private let memory = Scratch()
  private var library: LibraryConverter?

  public init() {}

  /// The formats that it converts.
  public static var pixelFormats: [PixelFormat] { ConvertedLayout.formats }

  /// The part of the software that converts that format, `node` or `libv4lconvert`; `nil`: nothing here converts it.
  public static func conversion(of format: PixelFormat) -> JPEGConversion? {
    switch ConvertedLayout(format) {
    case .library: .libv4lconvert
    case .words, .deep, .deepSemiplanar420, .hsv: .node
    case nil: nil
    }
  }

  /// The format to which frames of that format are converted; the same format where nothing here converts it.
  public static func plainFormat(of format: PixelFormat) -> PixelFormat {
    ConvertedLayout(format)?.plain ?? format
  }

  /// Converts the frame to a format that libjpeg-turbo and libyuv read; returns the frame itself where nothing here converts it. The bytes are valid
  /// until the next call.
  ///
  /// Throws `dataLoss` for a short or damaged frame, and `unimplemented` for a size that libv4lconvert does not accept.
  public func plain(_ frame: Frame) throws(CaptureError) -> Frame {
    guard let layout = ConvertedLayout(frame.format.pixelFormat) else { return frame }
    switch layout {
    case .words(let word): return try split(frame, word)
    case .deep(let sample, let plain): return try narrow(frame, sample, plain)
    case .deepSemiplanar420: return try narrowSemiplanar(frame)
    case .hsv(let bytes):
      let rows = try SourceRows(frame, rowBytes: frame.format.size.width * bytes)
      return memory.frame(frame, .rgb3, rowBytes: frame.format.size.width * 3) { target, y in
        pixels_rgb_of_hsv(
          rows[y], frame.format.size.width, bytes, UInt32(frame.format.hueSteps), target)
      }
    case .library(let format):
      if library == nil { library = try LibraryConverter() }
      return try library!.convert(frame, format, in: memory)
    }
  }

  private func split(_ frame: Frame, _ word: PixelWord) throws(CaptureError) -> Frame {
    let (width, height) = (frame.format.size.width, frame.format.size.height)
    let rows = try SourceRows(frame, rowBytes: width * word.bytes)
    guard word.isYCbCr else {
      return memory.frame(frame, .rgb3, rowBytes: width * 3) { target, y in
        pixels_split_words(
          rows[y], width, word.bytes, word.isBigEndian, word.fields, target, target + 1, target + 2, 3)
      }
    }
    return memory.frame(frame, ConvertedLayout.yuv444, rowBytes: width, planes: 3) { target, y in
      pixels_split_words(
        rows[y], width, word.bytes, word.isBigEndian, word.fields, target, target + width * height,
        target + 2 * width * height, 1)
    }
  }

  private func narrow(_ frame: Frame, _ sample: DeepSample, _ plain: PixelFormat) throws(CaptureError)
    -> Frame
  {
    let width = frame.format.size.width
    let rows = try SourceRows(frame, rowBytes: sample.rowBytes(width))
    return memory.frame(frame, plain, rowBytes: width) { target, y in
      switch sample {
      case .word(let bits, let isBigEndian):
        pixels_narrow_words(rows[y], width, UInt32(bits), isBigEndian, target)
      case .packed(let samples, let bytes): pixels_narrow_packed(rows[y], width, samples, bytes, target)
      }
    }
  }
}

extension FrameConverter {
  /// Converts `P010` to `NV12`. Rows have an even number of samples, since chroma comes in pairs.
  private func narrowSemiplanar(_ frame: Frame) throws(CaptureError) -> Frame {
    let (width, height) = (frame.format.size.width, frame.format.size.height)
    let (stride, chromaHeight) = ((width + 1) & ~1, (height + 1) / 2)
    let luma = try SourceRows(frame, rowBytes: width * 2)
    let chroma = try SourceRows(
      frame, at: luma.stride * height, stride: (luma.stride + 3) & ~3, rowBytes: stride * 2,
      count: chromaHeight)
    let count = stride * (height + chromaHeight)
    let base = memory.bytes(count)
    for y in 0..<height { pixels_narrow_words(luma[y], width, 16, false, base + y * stride) }
    for y in 0..<chromaHeight {
      pixels_narrow_words(chroma[y], stride, 16, false, base + (height + y) * stride)
    }
    return memory.frame(frame, .nv12, stride: stride, count: count)
  }
}

/// The rows of a plane in a frame's first segment, with checked bounds.
private struct SourceRows {
  private let base: UnsafePointer<UInt8>
  let stride: Int

  init(_ frame: Frame, rowBytes: Int) throws(CaptureError) {
    try self.init(
      frame, at: 0, stride: frame.format.planes.first?.stride ?? rowBytes, rowBytes: rowBytes,
      count: frame.format.size.height)
  }

  init(_ frame: Frame, at offset: Int, stride: Int, rowBytes: Int, count: Int) throws(CaptureError) {
    self.stride = stride
    guard stride >= rowBytes, count > 0, let segment = frame.payload.segments.first,
      let base = segment.baseAddress, segment.count >= offset + stride * (count - 1) + rowBytes
    else { throw frame.incompleteError }
    self.base = base.assumingMemoryBound(to: UInt8.self) + offset
  }

  subscript(y: Int) -> UnsafePointer<UInt8> { base + y * stride }
}

extension Frame {
  /// The error for a frame with fewer bytes than its format needs.
  var incompleteError: CaptureError {
    CaptureError(
      .dataLoss, "a \(format.pixelFormat) frame of \(format.size) is incomplete: \(payload.count) bytes")
  }
}
