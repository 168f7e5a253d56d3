import CaptureWire
import Synchronization

/// The source of a stream's frames: a subscription, and its present call.
final class FrameSource: Sendable {
  struct Opened: Sendable {
    var messages: ResponseStream<VideoFrame>
    /// The number of the connection on which it was opened, or of one before it.
    var epoch: UInt64
  }
  private struct State {
    var call: (any RawClientCall)?
    var isCancelled = false
  }
  let connection: any NodeConnection
  let options: SubscribeOptions
  private let request: SubscribeRequest
  private let state = Mutex(State())

  init(_ request: SubscribeRequest, of connection: any NodeConnection, options: SubscribeOptions) {
    self.request = request
    self.connection = connection
    self.options = options
  }

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  func open() async throws(RPCError) -> Opened {
    let epoch = await connection.epoch
    let messages = try await VideoClient(connection).subscribe(
      request, options: CallOptions(window: options.window))
    let isCancelled = state.withLock { state in
      state.call = messages.call
      return state.isCancelled
    }
    if isCancelled { messages.call.cancel() }
    return Opened(messages: messages, epoch: epoch)
  }

  func cancel() {
    let call = state.withLock { state in
      state.isCancelled = true
      return state.call.take()
    }
    call?.cancel()
  }

  /// Whether the camera may come back: a node that has just started may not have found its cameras yet. A session that is gone does not come back.
  func mayComeBack(after failure: RPCError) -> Bool {
    failure.code == .unavailable || (failure.code == .notFound && request.session.isEmpty)
  }
}
