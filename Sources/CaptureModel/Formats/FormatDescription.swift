/// A pixel format that a camera offers, with its sizes and intervals (`VIDIOC_ENUM_FMT`, `VIDIOC_ENUM_FRAMESIZES`, `VIDIOC_ENUM_FRAMEINTERVALS`).
public struct FormatDescription: Hashable, Sendable {
  /// V4L2's four-character code.
  public var pixelFormat: PixelFormat
  /// The driver's name for it: "Motion-JPEG".
  public var description: String
  /// `V4L2_FMT_FLAG_COMPRESSED`.
  public var isCompressed: Bool
  /// `V4L2_FMT_FLAG_EMULATED`: a library makes it, not the camera.
  public var isEmulated: Bool
  /// The sizes that it can have, in the driver's order.
  public var sizes: [SizeOption]

  public init(
    pixelFormat: PixelFormat, description: String, isCompressed: Bool = false, isEmulated: Bool = false,
    sizes: [SizeOption]
  ) {
    self.pixelFormat = pixelFormat
    self.description = description
    self.isCompressed = isCompressed
    self.isEmulated = isEmulated
    self.sizes = sizes
  }
}

/// A size of a format, or a range of sizes (`VIDIOC_ENUM_FRAMESIZES`).
public struct SizeOption: Hashable, Sendable {
  /// The smallest size, or the only one.
  public var minimum: FrameSize
  /// Equal to `minimum` for a discrete size.
  public var maximum: FrameSize
  /// 0x0 for a discrete size; else at least 1x1.
  public var step: FrameSize
  /// For a range, the intervals at `current`, or else at the maximum.
  public var intervals: IntervalOptions
  /// For a range, the size that the driver was set to when the camera appeared; `nil` where that size is not in the range.
  public var current: FrameSize?

  /// A single size.
  public init(discrete size: FrameSize, intervals: IntervalOptions) {
    (minimum, maximum, step) = (size, size, FrameSize(width: 0, height: 0))
    self.intervals = intervals
  }

  /// A range of sizes.
  public init(
    from minimum: FrameSize, to maximum: FrameSize, step: FrameSize, intervals: IntervalOptions,
    current: FrameSize? = nil
  ) {
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
    self.intervals = intervals
    self.current = current
  }

  /// Whether it is a single size.
  public var isDiscrete: Bool { step.width == 0 }

  /// Whether the size can be chosen.
  public func contains(_ size: FrameSize) -> Bool {
    if isDiscrete { return size == minimum }
    return size.width >= minimum.width && size.width <= maximum.width
      && size.height >= minimum.height && size.height <= maximum.height
      && (size.width - minimum.width) % max(step.width, 1) == 0
      && (size.height - minimum.height) % max(step.height, 1) == 0
  }
}

/// The frame intervals of a format at a size (`VIDIOC_ENUM_FRAMEINTERVALS`).
public enum IntervalOptions: Hashable, Sendable {
  /// The driver reports none.
  case unknown
  /// The shortest comes first.
  case discrete([FrameInterval])
  /// From the shortest to the longest; without a step, any between them.
  case range(minimum: FrameInterval, maximum: FrameInterval, step: FrameInterval?)
}
