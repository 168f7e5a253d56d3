/// What a node reports of a frame or of a photo.
public struct FrameInfo: Hashable, Sendable {
  /// The frame's number in its camera's stream, from 0. A stall does not interrupt the count, which begins again with another stream. A missing number
  /// is a frame that the subscriber was not given, or else one that the driver lost.
  public var sequence: UInt64
  /// When the frame was taken, as the camera's driver says.
  public var timestamp: FrameTimestamp
  /// The format of the bytes.
  public var pixelFormat: PixelFormat
  /// Pixels of the picture.
  public var size: FrameSize
  /// The memory planes of a raw picture, one after another; empty for a JPEG.
  public var planes: [PlaneLayout]
  /// What the samples mean; `nil`: something that only newer nodes know.
  public var color: ColorDescription?
  /// The camera's format, before the node encoded or converted the picture.
  public var sourcePixelFormat: PixelFormat
  /// The camera's size, before the node scaled or turned the picture.
  public var sourceSize: FrameSize
  /// The time that the node spent on encoding or converting; `nil`: it did neither.
  public var encodeTime: Duration?
  /// The settings with which it was taken, as far as they are known; `nil` where none is.
  public var settings: FrameSettings?
  /// The transform from the sensor's upright frame to the picture. Points of interest have the coordinates of that frame.
  public var view = PictureTransform.identity
  /// When the exposure was, on the node's `CLOCK_MONOTONIC`; `nil`: it is not known.
  public var exposure: ExposureTime?
  /// The time of day of ``timestamp``; `nil` where that is not on `CLOCK_MONOTONIC`.
  public var utc: UTCTime?

  public init(
    sequence: UInt64, timestamp: FrameTimestamp, pixelFormat: PixelFormat, size: FrameSize,
    planes: [PlaneLayout] = [], color: ColorDescription? = nil, sourcePixelFormat: PixelFormat? = nil,
    sourceSize: FrameSize? = nil
  ) {
    (self.sequence, self.timestamp, self.pixelFormat, self.size) = (sequence, timestamp, pixelFormat, size)
    (self.planes, self.color) = (planes, color)
    self.sourcePixelFormat = sourcePixelFormat ?? pixelFormat
    self.sourceSize = sourceSize ?? size
  }
}

/// A time of day.
public struct UTCTime: Hashable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
  public var nanoseconds: Int64
  /// How far the node's clock can be off, in nanoseconds, as its kernel says; 0 without synchronisation, when nobody knows.
  public var uncertainty: UInt64
  /// Whether the kernel says that its clock is synchronised.
  public var isSynchronised: Bool

  public init(nanoseconds: Int64, uncertainty: UInt64, isSynchronised: Bool) {
    (self.nanoseconds, self.uncertainty, self.isSynchronised) = (nanoseconds, uncertainty, isSynchronised)
  }
}
