import CaptureModel
import CaptureWire

extension RemoteNode {
  /// Live frames of a camera. The first subscriber determines the camera's format. A later one that asks for more is refused with `failedPrecondition`,
  /// which names the format and its holder. `AVCaptureVideoDataOutput` that discards late frames.
  public func subscribe(
    camera: String, _ request: VideoRequest = VideoRequest(), options: SubscribeOptions = SubscribeOptions()
  ) async throws(RPCError) -> FrameStream {
    try await subscribe(to: .camera(camera), request, options: options)
  }

  /// Live frames of a camera or of a session's output. A session's stream continues when the session changes its camera or format, and when its
  /// unplugged camera is back. While the session does not run, the stream waits.
  public func subscribe(
    to source: PictureSource, _ request: VideoRequest = VideoRequest(),
    options: SubscribeOptions = SubscribeOptions()
  ) async throws(RPCError) -> FrameStream {
    var message = SubscribeRequest(device: source.camera, request)
    (message.session, message.output) = (source.session, source.output)
    let frames = FrameSource(message, of: connection, options: options)
    return FrameStream(source: frames, first: try await frames.open())
  }
}
