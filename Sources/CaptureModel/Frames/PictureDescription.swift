/// What is known about a picture made of a frame.
public struct PictureDescription: Hashable, Sendable {
  /// The frame's, see ``Frame/sequence``.
  public var sequence: UInt64
  public var timestamp: FrameTimestamp
  /// What the camera delivered.
  public var source: StreamFormat
  /// Of the picture: `source`'s for the camera's own bytes, else JPEG.
  public var pixelFormat: PixelFormat
  public var size: FrameSize
  /// Of a raw picture, one entry per memory plane.
  public var planes: [PlaneLayout]
  /// Time spent encoding or turning; `nil` for the camera's own bytes.
  public var encodeTime: Duration?
  /// What the frame was taken with, as far as anyone can know; `nil` where nothing is known.
  public var settings: FrameSettings?
  /// Of a photo: what the flash did; `nil`: it is off, or there is none.
  public var flash: FlashOutcome?
  /// Of a photo: how the camera had settled before it; `nil`: nobody asked for that.
  public var settling: PhotoSettling?
  /// What was done to the camera's picture on its way, beside zoom.
  public var connection = PictureTransform.identity

  /// How the picture shows the sensor's own upright frame, where points of interest lie, as far as that is known: with zoom of any kind
  /// and the driver's flips.
  public var view: PictureTransform {
    let factor = settings?.zoomFactor.flatMap { $0.provenance == .unknown ? nil : $0.value } ?? 1
    return .zoomed(factor).then(settings?.flip ?? .identity).then(connection)
  }

  /// What the picture's samples mean.
  public var color: ColorDescription { pixelFormat.isJPEG ? source.color.inJPEG : source.color }

  /// The camera's own bytes.
  public init(_ frame: Frame) {
    sequence = frame.sequence
    timestamp = frame.timestamp
    source = frame.format
    pixelFormat = source.pixelFormat
    size = source.size
    planes = source.planes
  }

  /// A JPEG made of them.
  public init(jpegOf frame: Frame, size: FrameSize, encodeTime: Duration) {
    self.init(frame)
    pixelFormat = .jpeg
    self.size = size
    planes = []
    self.encodeTime = encodeTime
  }

  /// A raw picture made of them, of their pixel format.
  public init(
    turned frame: Frame, size: FrameSize, planes: [PlaneLayout], encodeTime: Duration
  ) {
    self.init(frame)
    self.size = size
    self.planes = planes
    self.encodeTime = encodeTime
  }
}
