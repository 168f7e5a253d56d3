/// The stream that a client asks a camera for.
public struct StreamRequest: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  public var size: FrameSize
  /// `nil`: the driver's choice.
  public var interval: FrameInterval?
  /// Whether the stream is refused where the driver neither names frame intervals nor takes one. Otherwise such a driver delivers at its own.
  package var requiresInterval = false

  public init(pixelFormat: PixelFormat, size: FrameSize, interval: FrameInterval? = nil) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.interval = interval
  }
}

/// The stream that a camera delivers, as its driver reported it after `VIDIOC_S_FMT` and `VIDIOC_S_PARM`.
public struct StreamFormat: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  public var size: FrameSize
  /// `nil` where the driver reports none.
  public var interval: FrameInterval?
  /// One entry for each memory plane; empty for compressed formats, which have no stride.
  public var planes: [PlaneLayout]
  /// For formats of hue, saturation and value: the steps in a full turn of hue, 180 or 256 (`V4L2_HSV_ENC_*`).
  public var hueSteps = 180
  public var color: ColorDescription

  /// ``ColorDescription/isFullRange``
  public var isFullRange: Bool { color.isFullRange }
  /// ``ColorDescription/matrix``
  public var matrix: ColorMatrix { color.matrix }

  public init(
    pixelFormat: PixelFormat, size: FrameSize, interval: FrameInterval?, planes: [PlaneLayout],
    color: ColorDescription = ColorDescription()
  ) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.interval = interval
    self.planes = planes
    self.color = color
  }
}

/// A memory plane of a raw picture (`v4l2_plane_pix_format`).
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
