import CaptureModel
import CaptureWire

extension RemoteNode {
  /// Live frames of a camera. The first subscriber fixes the camera's format; a later one that asks for more is refused with
  /// `failedPrecondition`, naming the format and who holds it. `AVCaptureVideoDataOutput` that discards late frames.
  public func subscribe(
    camera: String, _ request: VideoRequest = VideoRequest(), options: SubscribeOptions = SubscribeOptions()
  ) async throws(RPCError) -> FrameStream {
    let messages = try await VideoClient(connection).subscribe(
      SubscribeRequest(camera: camera, request), options: CallOptions(window: options.window))
    return FrameStream(messages: messages, connection: connection, options: options)
  }
}
