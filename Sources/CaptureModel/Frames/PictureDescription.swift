/// What is known about a picture made of a frame.
public struct PictureDescription: Hashable, Sendable {
  /// The frame's number, see ``Frame/sequence``.
  public var sequence: UInt64
  public var timestamp: FrameTimestamp
  /// The format in which the camera delivered the frame.
  public var source: StreamFormat
  /// The picture's format: that of `source` for the camera's own bytes, otherwise the one into which these were encoded or converted.
  public var pixelFormat: PixelFormat
  public var size: FrameSize
  /// The planes of a raw picture, one entry for each memory plane.
  public var planes: [PlaneLayout]
  /// What the picture's samples mean.
  public var color: ColorDescription
  /// Time spent encoding, turning or converting; `nil` for the camera's own bytes.
  public var encodeTime: Duration?
  /// The settings that the frame was taken with, as far as they are known; `nil` where none is.
  public var settings: FrameSettings?
  /// What the flash did for a photo; `nil`: it is off, or the camera has none.
  public var flash: FlashOutcome?
  /// How the camera had settled before a photo; `nil`: nobody asked for that.
  public var settling: PhotoSettling?
  /// The transform that the node applied to the camera's picture, without zoom.
  public var connection = PictureTransform.identity

  /// The transform from the sensor's upright frame to the picture, as far as it is known. Points of interest have the coordinates of that frame. The
  /// transform includes zoom of any kind and the driver's flips.
  public var view: PictureTransform {
    let factor = settings?.zoomFactor.flatMap { $0.provenance == .unknown ? nil : $0.value } ?? 1
    return .zoomed(factor).then(settings?.flip ?? .identity).then(connection)
  }

  /// Describes the camera's own bytes.
  public init(_ frame: Frame) {
    sequence = frame.sequence
    timestamp = frame.timestamp
    source = frame.format
    pixelFormat = source.pixelFormat
    size = source.size
    planes = source.planes
    color = pixelFormat.isJPEG ? source.color.inJPEG : source.color
  }

  /// Describes a JPEG made of the frame.
  public init(jpegOf frame: Frame, size: FrameSize, encodeTime: Duration) {
    self.init(frame)
    pixelFormat = .jpeg
    color = source.color.inJPEG
    self.size = size
    planes = []
    self.encodeTime = encodeTime
  }

  /// Describes a raw picture made of the frame, in the frame's pixel format.
  public init(
    turned frame: Frame, size: FrameSize, planes: [PlaneLayout], encodeTime: Duration
  ) {
    self.init(frame)
    self.size = size
    self.planes = planes
    self.encodeTime = encodeTime
  }

  /// Describes a picture that was converted into another pixel format.
  public init(
    converted frame: Frame, as settings: PixelSettings, _ picture: RawPicture, encodeTime: Duration
  ) {
    self.init(turned: frame, size: settings.size, planes: picture.planes, encodeTime: encodeTime)
    pixelFormat = settings.target.pixelFormat
    color = picture.color ?? color
  }
}
