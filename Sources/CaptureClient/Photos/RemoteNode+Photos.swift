import CaptureModel
import CaptureSystem
import CaptureWire

/// A stage of a photo.
public enum PhotoStage: Equatable, Sendable {
  /// The camera is running, and the photo will be taken.
  case willCapture
  /// The frame was taken.
  case didCapture(FrameInfo)
}

/// A photo: a JPEG and its description.
public struct CapturedPhoto: Sendable {
  /// The JPEG's bytes, in the memory into which the socket was read.
  public var payload: Payload
  public var info: FrameInfo
  /// What the flash did; unspecified: it is off, or the camera has none.
  public var flash = FlashOutcome.unspecified
}

extension RemoteNode {
  /// Takes a photo: a frame whose exposure began after the node got the request. `request` gives its size, quality and subsampling; without a size the
  /// photo has the size that an idle or a streaming camera has by itself (`CapturePhotoRequest.size`). The camera's flash fires according to its
  /// setting. `AVCapturePhotoOutput.capturePhoto`.
  ///
  /// `timeout` limits the whole call. `nil`: the timeout of the node's options, and at least 30 s, since a photo waits for the node's own modes to
  /// finish. `progress` is called at each stage.
  public func capturePhoto(
    camera: String, _ request: VideoRequest = VideoRequest(), timeout: Duration? = nil,
    progress: (PhotoStage) -> Void = { _ in }
  ) async throws(RPCError) -> CapturedPhoto {
    try await capturePhoto(of: .camera(camera), request, timeout: timeout, progress: progress)
  }

  private static let photoTimeout = Duration.seconds(30)

  /// Takes a photo with a camera, or from a running session.
  public func capturePhoto(
    of source: PictureSource, _ request: VideoRequest = VideoRequest(), timeout: Duration? = nil,
    progress: (PhotoStage) -> Void = { _ in }
  ) async throws(RPCError) -> CapturedPhoto {
    var message = CapturePhotoRequest(camera: source.camera, request)
    (message.session, message.output) = (source.session, source.output)
    let events = try await PhotosClient(connection).capture(
      message, options: CallOptions(timeout: timeout ?? self.timeout.map { max($0, Self.photoTimeout) }))
    var photo: CapturedPhoto?
    var iterator = events.makeAsyncIterator()
    while let event = try await iterator.next(isolation: nil) {
      switch event.stage {
      case .willCapture: progress(.willCapture)
      case .didCapture: progress(.didCapture(event.info ?? FrameInfo()))
      case .photo:
        photo = event.data.map {
          CapturedPhoto(payload: $0, info: event.info ?? FrameInfo(), flash: event.flash)
        }
      default: break
      }
    }
    guard let photo else { throw RPCError(.dataLoss, "the node ended the call without a photo") }
    return photo
  }
}
