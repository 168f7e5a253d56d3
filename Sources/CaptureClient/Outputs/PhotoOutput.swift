public import CaptureModel
public import CaptureSystem
internal import CaptureTransport
internal import CaptureWire

/// How a photo is wanted. `AVCapturePhotoSettings`.
public struct PhotoSettings: Hashable, Sendable {
  /// Exactly that size; `nil`: that of the running stream, or else the camera's largest.
  public var size: FrameSize?
  /// How a picture of another shape fills `size`; `nil`: it is refused.
  public var gravity: CaptureModel.VideoGravity?
  /// 1 to 100; `nil`: the camera's own JPEG untouched, or 90.
  public var quality: Int?
  /// The resolution of colour; `nil`: the node's choice, or the camera's own.
  public var subsampling: ChromaSubsampling?
  /// The part that is kept, and how it is turned and mirrored.
  public var transform = PictureTransform.identity
  /// The camera's format from which it is made; `nil`: the node's choice.
  public var sourcePixelFormat: PixelFormat?
  /// `nil`: the camera's own flash mode.
  public var flash: CaptureModel.LightMode?
  /// How long the photo waits at most until focus, exposure and white balance are at rest, up to 30 s; zero: not at all; `nil`: 2 s.
  public var settling: Duration?
  /// Whether a camera's own JPEG is decoded before it is delivered, and refused if it is damaged.
  public var isChecked = true
  /// Whether it is taken even where the camera's input has no signal.
  public var allowsNoSignal = false
  /// Texts for its EXIF, each of 1 to 2,000 bytes of UTF-8. `metadata`.
  public var tags: [CaptureModel.PhotoTag: String] = [:]
  /// Whether EXIF and XMP are written into it. Without them a camera's own JPEG comes as it is.
  public var hasMetadata = true

  public init(
    size: FrameSize? = nil, gravity: CaptureModel.VideoGravity? = nil, quality: Int? = nil,
    flash: CaptureModel.LightMode? = nil, settling: Duration? = nil
  ) {
    (self.size, self.gravity, self.quality) = (size, gravity, quality)
    (self.flash, self.settling) = (flash, settling)
  }

  var request: VideoRequest {
    var request = VideoRequest(
      pixelFormat: sourcePixelFormat, size: size, gravity: gravity, quality: quality,
      subsampling: subsampling,
      transform: transform, isChecked: isChecked, allowsNoSignal: allowsNoSignal, settling: settling,
      flash: flash)
    (request.tags, request.hasMetadata) = (tags, hasMetadata)
    return request
  }
}

/// A stage of a photo that is being taken.
public enum PhotoStage: Hashable, Sendable {
  /// The photo is due: the next frame whose exposure begins now. `willCapturePhotoFor`.
  case willCapture
  /// The frame is there. `didCapturePhotoFor`.
  case didCapture(CaptureModel.FrameInfo)
}

/// A photo and its description. `AVCapturePhoto`.
public struct CapturedPhoto: Sendable {
  /// The JPEG's bytes, in the memory into which the socket was read.
  public var payload: Payload
  /// The frame of which it is made: its size, time and settings.
  public var info: CaptureModel.FrameInfo
  /// What the flash did; `nil`: it is off, or the camera has none.
  public var flash: CaptureModel.FlashOutcome?
  /// How the camera had settled; `nil`: that was not asked for.
  public var settling: PhotoSettling?
  /// What was written into it; `nil`: nothing was. Its exposure is in ``info``. `metadata`.
  public var metadata: CaptureModel.PhotoMetadata?
}

/// Stills of a session's output, or of a camera alone. `AVCapturePhotoOutput`.
public struct PhotoOutput: Sendable {
  private let node: RemoteNode
  private let origin: PictureOrigin

  /// The photo output of any origin. ``Camera/photoOutput`` and ``Session/photoOutput`` are the usual ones. Nobody is asked yet.
  public init(_ origin: PictureOrigin, of node: RemoteNode) { (self.origin, self.node) = (origin, node) }

  /// Takes a photo: a frame whose exposure began after the node got the request. `capturePhoto(with:delegate:)`.
  ///
  /// `timeout` limits the whole call. `nil`: the timeout of the node's configuration, and at least 30 s besides the time that the camera may settle.
  /// `progress` is called at each stage, where the caller is.
  public nonisolated(nonsending) func capturePhoto(
    _ settings: PhotoSettings = PhotoSettings(), timeout: Duration? = nil,
    progress: (PhotoStage) -> Void = { _ in }
  ) async throws(CaptureError) -> CapturedPhoto {
    var message = CapturePhotoRequest(device: origin.camera, settings.request)
    (message.session, message.output) = (origin.session, origin.output)
    let usual = node.configuration.timeout.map { max($0, Self.usualTimeout + (settings.settling ?? .zero)) }
    // The `catch` brings the caller back, too (docs/adr/0041-cameras-are-called-where-the-device-is.md).
    do throws(RPCError) {
      let events = try await open(message, CallOptions(timeout: timeout ?? usual))
      var photo: CapturedPhoto?
      var iterator = events.makeAsyncIterator()
      while let event = try await iterator.next(isolation: nil) {
        let info = (event.info ?? CaptureWire.FrameInfo()).model
        switch event.stage {
        case .willCapture: progress(.willCapture)
        case .didCapture: progress(.didCapture(info))
        case .photo:
          photo = event.data.map {
            CapturedPhoto(
              payload: $0, info: info, flash: event.flash.model, settling: event.settling,
              metadata: event.metadata?.values)
          }
        default: break
        }
      }
      guard let photo else { throw RPCError(.dataLoss, "the node ended the call without a photo") }
      return photo
    } catch {
      throw CaptureError(error)
    }
  }

  private func open(
    _ message: CapturePhotoRequest, _ options: CallOptions
  ) async throws(RPCError) -> ResponseStream<PhotoEvent> {
    try await PhotosClient(node.connection).capture(message, options: options)
  }

  private static let usualTimeout = Duration.seconds(30)
}

extension PhotoEvent {
  fileprivate var settling: PhotoSettling? {
    settled == .unspecified
      ? nil
      : PhotoSettling(
        settled.model, waited: .milliseconds(Int64(settlingMs)), frames: Int(settlingFrames))
  }
}
