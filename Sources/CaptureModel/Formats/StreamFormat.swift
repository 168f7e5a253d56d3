/// What a camera was asked to stream.
public struct StreamRequest: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  public var size: FrameSize
  /// `nil`: the driver's choice.
  public var interval: FrameInterval?

  public init(pixelFormat: PixelFormat, size: FrameSize, interval: FrameInterval? = nil) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.interval = interval
  }
}

/// What a camera streams, as its driver said after `VIDIOC_S_FMT` and `VIDIOC_S_PARM`.
public struct StreamFormat: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  public var size: FrameSize
  /// `nil` where the driver does not say.
  public var interval: FrameInterval?
  /// One entry per memory plane; empty for compressed formats' strides.
  public var planes: [PlaneLayout]
  /// `V4L2_QUANTIZATION_FULL_RANGE`: luma uses 0…255 instead of 16…235.
  public var isFullRange: Bool
  /// Y'CbCr matrix.
  public var matrix: ColorMatrix

  public init(
    pixelFormat: PixelFormat, size: FrameSize, interval: FrameInterval?, planes: [PlaneLayout],
    isFullRange: Bool = false, matrix: ColorMatrix = .rec601
  ) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.interval = interval
    self.planes = planes
    self.isFullRange = isFullRange
    self.matrix = matrix
  }
}

/// A memory plane of a raw picture: what `v4l2_plane_pix_format` says.
public struct PlaneLayout: Hashable, Sendable {
  /// Bytes from one row to the next.
  public var stride: Int
  /// Bytes of the whole plane.
  public var bytes: Int

  public init(stride: Int, bytes: Int) {
    self.stride = stride
    self.bytes = bytes
  }
}

/// Coefficients between RGB and Y'CbCr (`V4L2_YCBCR_ENC_*`).
public enum ColorMatrix: Hashable, Sendable {
  case rec601
  case rec709
  case rec2020
}
