/// The pixel formats into which the node converts frames of any camera (`AVCaptureVideoDataOutput.videoSettings`).
public enum PixelTarget: Hashable, Sendable, CaseIterable {
  /// `AR24`: B G R A in memory, alpha 255 (`kCVPixelFormatType_32BGRA`).
  case bgra
  /// `RGB3`: R G B in memory (`kCVPixelFormatType_24RGB`).
  case rgb24
  /// `NV12`: 4:2:0, a luma plane, then one of pairs of Cb and Cr (`kCVPixelFormatType_420YpCbCr8BiPlanar…`).
  case nv12
  /// `YU12`: 4:2:0, planes of luma, Cb and Cr (`kCVPixelFormatType_420YpCbCr8Planar`).
  case i420
  /// `GREY`: luma alone (`kCVPixelFormatType_OneComponent8`).
  case grey

  /// `nil` for a format into which nothing is converted.
  public init?(_ format: PixelFormat) {
    guard let target = Self.allCases.first(where: { $0.pixelFormat == format }) else { return nil }
    self = target
  }

  /// V4L2's four-character code.
  public var pixelFormat: PixelFormat {
    switch self {
    case .bgra: .ar24
    case .rgb24: .rgb3
    case .nv12: .nv12
    case .i420: .yu12
    case .grey: .grey
    }
  }

  /// Whether each chroma sample belongs to a square of four pixels, so that both sides are even.
  public var needsEvenSides: Bool { self == .nv12 || self == .i420 }

  /// Whether it has red, green and blue, in the full range.
  public var isRGB: Bool { self == .bgra || self == .rgb24 }

  /// The codes of all targets: "AR24, RGB3, NV12, YU12, GREY".
  public static var list: String { allCases.map { "\($0.pixelFormat)" }.joined(separator: ", ") }

  /// The size, or the next smaller one that the format can have.
  public func rounded(_ size: FrameSize) -> FrameSize {
    needsEvenSides
      ? FrameSize(width: max(2, size.width & ~1), height: max(2, size.height & ~1)) : size
  }

  /// Throws `invalidArgument` for a size that the format cannot have; it names the nearest ones up to `largest`.
  public func check(_ size: FrameSize, within largest: FrameSize) throws(CaptureError) {
    guard rounded(size) != size else { return }
    let above = FrameSize(width: (size.width + 1) & ~1, height: (size.height + 1) & ~1)
    var nearest = [rounded(size), above].filter { $0.width <= largest.width && $0.height <= largest.height }
    if nearest.first == nearest.last { nearest = Array(nearest.prefix(1)) }
    throw CaptureError(
      .invalidArgument,
      "\(pixelFormat) has a chroma sample for every four pixels, so both sides are even, and \(size) is not possible"
        + (nearest.isEmpty
          ? "" : "; ask for \(nearest.map(\.description).joined(separator: " or "))"),
      .init(
        .valueNotPossible, field: "size", asked: .text("\(size)"), possible: nearest.map(\.description)))
  }
}
