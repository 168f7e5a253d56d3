internal import CaptureModel
internal import CaptureWire
import Synchronization

/// The source of a stream's frames: a subscription, and its present call.
final class FrameSource: Sendable {
  private struct State {
    var call: (any RawClientCall)?
    var isCancelled = false
  }
  let connection: any NodeConnection
  let options: StreamOptions
  let camera: CameraReference
  /// The time limit of a call with one answer.
  let callTimeout: Duration?
  private let request: SubscribeRequest
  /// Why the subscription is not made; `nil`: it is.
  let refusal: CaptureError?
  /// Whether the connection or the camera is away.
  let isAway = Atomic(false)
  private let state = Mutex(State())
  let recovery = RecoveryWait()

  init(
    _ request: SubscribeRequest, of camera: CameraReference, refusal: CaptureError?, on node: RemoteNode,
    options: StreamOptions
  ) {
    (self.request, self.camera, self.refusal) = (request, camera, refusal)
    (connection, callTimeout) = (node.connection, node.configuration.timeout)
    self.options = options
  }

  deinit { cancel() }

  func open(_ connection: any NodeConnection) async throws(RPCError) -> ResponseStream<VideoFrame> {
    if state.withLock(\.isCancelled) { throw RPCError(.callCancelled) }
    try await recovery.wait { [camera] () async throws(RPCError) in
      try await camera.requireListed(on: connection)
    }
    var request = request
    request.device = camera.name
    let messages = try await VideoClient(connection).subscribe(
      request, options: CallOptions(window: options.window))
    let isCancelled = state.withLock { state in
      state.call = messages.call
      return state.isCancelled
    }
    if isCancelled { messages.call.cancel() }
    return messages
  }

  func cancel() {
    let call = state.withLock { state in
      state.isCancelled = true
      return state.call.take()
    }
    call?.cancel()
    recovery.end()
  }

  /// Whether frames may still come: the camera is unplugged, or the node has just started and has not found its cameras. A session that is gone does
  /// not come back.
  func mayComeBack(after failure: RPCError) -> Bool {
    failure.code == .unavailable || (failure.code == .notFound && request.session.isEmpty)
  }
}
