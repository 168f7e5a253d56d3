import CaptureModel
import CaptureSystem
import CaptureWire

/// A photo's way, as it is taken.
public enum PhotoStage: Equatable, Sendable {
  /// The camera is running, and has settled.
  case willCapture
  /// The frame was taken.
  case didCapture(FrameInfo)
}

/// A photo: a JPEG and what is known about it.
public struct CapturedPhoto: Sendable {
  /// The JPEG's bytes, where the socket left them.
  public var payload: Payload
  public var info: FrameInfo
  /// What the flash did; unspecified: it is off, or there is none.
  public var flash = FlashOutcome.unspecified
  /// How it is known that the camera had settled; unspecified: that was not asked for.
  public var settled = Provenance.unspecified
  /// How long the photo waited for that, and how many frames it looked at.
  public var settlingTime = Duration.zero
  public var settlingFrames = 0
}

extension RemoteNode {
  /// Takes a photo: a frame whose exposure began after the node got the request. Of `request`, size, quality, subsampling and settling count;
  /// without a size it has the one that an idle or a streaming camera has by itself (`CapturePhotoRequest.size`). `AVCapturePhotoOutput.capturePhoto`. The camera's flash fires as it is set.
  ///
  /// `timeout` bounds the whole, `nil`: what the node's options say, and 30 s at least beside what `request` gives the camera to settle, since a photo waits for what the node's modes look for; `progress` is told of each stage.
  public func capturePhoto(
    camera: String, _ request: VideoRequest = VideoRequest(), timeout: Duration? = nil,
    progress: (PhotoStage) -> Void = { _ in }
  ) async throws(RPCError) -> CapturedPhoto {
    try await capturePhoto(of: .camera(camera), request, timeout: timeout, progress: progress)
  }

  private static let photoTimeout = Duration.seconds(30)

  /// Takes a photo with a camera, or of a session that runs.
  public func capturePhoto(
    of source: PictureSource, _ request: VideoRequest = VideoRequest(), timeout: Duration? = nil,
    progress: (PhotoStage) -> Void = { _ in }
  ) async throws(RPCError) -> CapturedPhoto {
    var message = CapturePhotoRequest(camera: source.camera, request)
    (message.session, message.output) = (source.session, source.output)
    let usual = self.timeout.map { max($0, Self.photoTimeout + (request.settling ?? .zero)) }
    let events = try await PhotosClient(connection).capture(
      message, options: CallOptions(timeout: timeout ?? usual))
    var photo: CapturedPhoto?
    var iterator = events.makeAsyncIterator()
    while let event = try await iterator.next(isolation: nil) {
      switch event.stage {
      case .willCapture: progress(.willCapture)
      case .didCapture: progress(.didCapture(event.info ?? FrameInfo()))
      case .photo:
        photo = event.data.map {
          CapturedPhoto(
            payload: $0, info: event.info ?? FrameInfo(), flash: event.flash, settled: event.settled,
            settlingTime: .milliseconds(Int64(event.settlingMs)), settlingFrames: Int(event.settlingFrames))
        }
      default: break
      }
    }
    guard let photo else { throw RPCError(.dataLoss, "the node ended the call without a photo") }
    return photo
  }
}
