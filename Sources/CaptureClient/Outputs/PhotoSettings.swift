public import CaptureModel
internal import CaptureSystem
internal import CaptureWire

/// The settings of a photo (`AVCapturePhotoSettings`).
public struct PhotoSettings: Hashable, Sendable {
  /// The photo's exact size; `nil`: the size of the running stream, or else the camera's largest.
  public var size: FrameSize?
  /// How a picture of another shape fills `size`; `nil`: another shape is refused.
  public var gravity: CaptureModel.VideoGravity?
  /// The quality of a JPEG, 1 to 100; `nil`: the camera's own JPEG untouched, or 92 for a JPEG that the node makes.
  public var quality: Int?
  /// The resolution of colour; `nil`: the node's choice, or the camera's own.
  public var subsampling: ChromaSubsampling?
  /// The part of the picture that is kept, and how it is turned and mirrored.
  public var transform = PictureTransform.identity
  /// The camera's format from which the photo is made; `nil`: the node's choice.
  public var sourcePixelFormat: PixelFormat?
  /// `nil`: the camera's own flash mode.
  public var flash: CaptureModel.LightMode?
  /// How long the photo waits at most until focus, exposure and white balance are at rest, up to 30 s; zero: not at all; `nil`: 2 s.
  public var settling: Duration?
  /// Whether a camera's own JPEG is decoded before it is delivered, and refused if it is damaged.
  public var isChecked = true
  /// Whether the photo is taken even where the camera's input has no signal.
  public var allowsNoSignal = false
  /// The photo's moment. For another moment than the next frame the camera does not settle first, and fires no flash.
  public var time = PhotoTime.next
  /// Texts for the photo's EXIF, each of 1 to 2,000 bytes of UTF-8 (`metadata`).
  public var tags: [CaptureModel.PhotoTag: String] = [:]
  /// The caller's name for the photo's subject, which several photos may share, also photos of other cameras: 1 to 200 bytes of UTF-8.
  public var shot: String?
  /// Whether EXIF and XMP are written into the photo. Without them a camera's own JPEG comes as it is.
  public var hasMetadata = true

  /// The files that are made of the one frame (`processedFileType` and `rawFileType`), each type once, at least one. A JPEG and a PNG have the size
  /// and the crop, and a JPEG the quality; a DNG and raw bytes have the camera's picture. A setting that none of the files can have is refused.
  public var fileTypes: [CaptureModel.PhotoFileType] = [.jpeg]

  /// A small JPEG within the EXIF (`embeddedThumbnailPhotoFormat`): the largest of the photo's shape that fits in, up to 160x160; `nil`: none.
  public var thumbnail: FrameSize?
  /// A JPEG that comes before the photo (`previewPhotoFormat`): the largest of the photo's shape that fits in; `nil`: none.
  public var preview: FrameSize?
  /// How the photo is turned and mirrored. It replaces the orientation and mirroring of the session's connection and of `transform`; its crop does
  /// not count. `nil`: the connection and `transform` decide.
  public var orientation: PictureTransform?
  /// The method by which the photo is turned; `nil`: without loss for a camera's own JPEG, where that is possible.
  public var orientationMethod: CaptureModel.OrientationMethod?
  /// What happens to a running stream that is smaller than the photo (`maxPhotoDimensions`); `nil`: nothing.
  public var fullSize: CaptureModel.FullSize?
  /// A request with the same id gets the same photo, from the node's memory (``newRequestID()``): 1 to 128 bytes of UTF-8. `nil`: each capture takes
  /// a photo of its own, and a retry after a lost connection gets that one.
  public var requestID: String?

  /// Whether and how the node's library keeps the photo; `nil`: it does not.
  public var storing: Storing?

  /// How the node's library keeps a photo.
  public typealias Storing = PhotoStoring

  /// A random id for a request.
  public static func newRequestID() -> String {
    String(UInt64.random(in: 0 ... .max), radix: 36) + String(UInt64.random(in: 0 ... .max), radix: 36)
  }

  public init(
    size: FrameSize? = nil, gravity: CaptureModel.VideoGravity? = nil, quality: Int? = nil,
    flash: CaptureModel.LightMode? = nil, settling: Duration? = nil
  ) {
    (self.size, self.gravity, self.quality) = (size, gravity, quality)
    (self.flash, self.settling) = (flash, settling)
  }

  /// The time until the moment of the photo comes. For a time of the node's clock, which this machine cannot tell, it is the longest time that is
  /// possible.
  var timeAhead: Duration {
    switch time {
    case .next, .now, .ago: .zero
    case .node: PhotoTime.furthestAhead
    case .utc(let time):
      .nanoseconds(max(max(time, 0) - UTCClock().reading(at: MonotonicClock.now()).nanoseconds, 0))
    }
  }

  /// The settings as the node gets them.
  var message: CaptureWire.PhotoSettings {
    var message = CaptureWire.PhotoSettings(request)
    message.when = When(time)
    message.store = StoreMode(storing)
    return message
  }

  /// Throws `invalidArgument` for settings that no node could carry out; some of them have no form on the wire.
  func validate() throws(CaptureError) {
    do throws(CaptureError) { try request.validate() } catch {
      throw error.ofRendition(at: CapturePhotoRequest.renditionPath)
    }
    guard case .ago(let duration) = time, duration < .zero else { return }
    throw CaptureError(
      .invalidArgument, "a photo of \(duration) ago is of a moment to come; name that by a clock",
      .init(
        .valueOutOfRange, field: PhotoTime.ago(duration).path, asked: .number(duration / .nanoseconds(1)),
        range: .init(0, Double(Int64.max))))
  }

  private var request: PhotoRequest {
    var frame = frame
    if fileTypes.allSatisfy(\.isRaw) {
      // The pixel format and orientation of a raw file are in its own `picture`, not here. The node refuses the other settings of a picture, which no
      // raw file can have.
      frame.pixelFormat = nil
      if fileTypes.contains(.dng) {
        (frame.transform.orientation, frame.transform.isMirrored) = (.upright, false)
      }
    }
    var request = PhotoRequest(frame)
    if fileTypes != [.jpeg] {
      request.formats = fileTypes.map { CaptureModel.PhotoFormat($0, picture($0, frame)) }
    }
    (request.thumbnail, request.preview) = (thumbnail, preview)
    (request.orientation, request.orientationMethod) = (orientation, orientationMethod)
    request.fullSize = fullSize
    request.id = requestID
    return request
  }

  /// The picture of one of the files.
  private func picture(_ type: CaptureModel.PhotoFileType, _ frame: VideoRequest) -> VideoRequest {
    var picture = type.isRaw ? VideoRequest(encoding: .raw, pixelFormat: sourcePixelFormat) : frame
    if type == .dng {
      (picture.transform.orientation, picture.transform.isMirrored) = (
        transform.orientation, transform.isMirrored
      )
    }
    if type == .png { (picture.quality, picture.subsampling) = (nil, nil) }
    return picture
  }

  private var frame: VideoRequest {
    var request = VideoRequest(
      pixelFormat: sourcePixelFormat, size: size, gravity: gravity, quality: quality,
      subsampling: subsampling,
      transform: transform, isChecked: isChecked, allowsNoSignal: allowsNoSignal, settling: settling,
      flash: flash)
    (request.tags, request.hasMetadata, request.shot) = (tags, hasMetadata, shot)
    return request
  }
}
