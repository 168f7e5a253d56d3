import CaptureModel
import CaptureSystem
import CaptureWire

/// A stage of a photo.
public enum PhotoStage: Equatable, Sendable {
  /// The camera is running, and has settled.
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
  /// How it is known that the camera had settled; unspecified: that was not asked for.
  public var settled = Provenance.unspecified
  /// How long the photo waited for that, and how many frames it looked at.
  public var settlingTime = Duration.zero
  public var settlingFrames = 0
}

extension RemoteNode {
  /// Takes a photo: a frame whose exposure began after the node got the request. `request` gives its size, quality and subsampling, and how long the
  /// camera may settle; without a size the photo has the size that an idle or a streaming camera has by itself (`CapturePhotoRequest.size`). The camera's
  /// flash fires according to its setting. `AVCapturePhotoOutput.capturePhoto`.
  ///
  /// `timeout` limits the whole call. `nil`: the timeout of the node's options, and at least 30 s besides the time that `request` gives the camera to
  /// settle. `progress` is called at each stage.
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
    var message = CapturePhotoRequest(device: source.camera, request)
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
