import CPixelKernels
public import CaptureModel

/// How the samples of a sensor behind a Bayer filter lie in its frames.
public struct BayerFormat: Sendable {
  /// Bits of a sample: 8, 10, 12, 14 or 16.
  public let bits: Int
  /// The colours of the first four samples, row by row: 0 is red, 1 green, 2 blue.
  public let pattern: [UInt8]
  /// How a sample is stored; `nil`: in one byte.
  private let sample: DeepSample?

  /// `nil` for a format without a Bayer filter.
  public init?(_ format: PixelFormat) {
    let order: PixelFormat
    if case .deep(let sample, let plain)? = ConvertedLayout(format) {
      (self.sample, order) = (sample, plain)
      bits = sample.bits
    } else {
      (sample, order, bits) = (nil, format, 8)
    }
    switch order {
    case .rggb8: pattern = [0, 1, 1, 2]
    case .grbg8: pattern = [1, 0, 2, 1]
    case .gbrg8: pattern = [1, 2, 0, 1]
    case .bggr8: pattern = [2, 1, 1, 0]
    default: return nil
    }
  }

  /// The bytes of a row of `width` samples in a frame.
  public func rowBytes(_ width: Int) -> Int { sample?.rowBytes(width) ?? width }

  /// Writes a row's samples to `target`: one byte each if they have 8 bits, otherwise two bytes each, the most significant first.
  public func unpack(_ row: UnsafePointer<UInt8>, width: Int, into target: UnsafeMutablePointer<UInt8>) {
    switch sample {
    case nil: target.update(from: row, count: width)
    case .word(_, let isBigEndian): pixels_order_words(row, width, isBigEndian, target)
    case .packed(let samples, let bytes): pixels_widen_packed(row, width, samples, bytes, target)
    }
  }
}

extension DeepSample {
  fileprivate var bits: Int {
    switch self {
    case .word(let bits, _): bits
    case .packed(let samples, let bytes): bytes * 8 / samples
    }
  }
}
