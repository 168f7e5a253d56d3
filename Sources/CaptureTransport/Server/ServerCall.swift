import CaptureLoop
import CaptureSystem
import CaptureWire
import Synchronization

/// A call as its handler sees it. Its state lives in the connection. Any thread may use this handle.
final class ServerCall: RawResponseWriter, RawRequestReader {
  let id: UInt32
  let connection: ServerConnection
  /// The call's credit while nothing of the call waits, otherwise 0. The connection updates it.
  let freeCredit = Atomic<Int>(0)
  let discardCount = Atomic<UInt64>(0)

  init(id: UInt32, connection: ServerConnection) {
    self.id = id
    self.connection = connection
  }

  var loop: QueueExecutor { connection.loop.serial }
  var discarded: UInt64 { discardCount.load(ordering: .relaxed) }
  var room: Int { connection.isBlocked.load(ordering: .relaxed) ? 0 : freeCredit.load(ordering: .relaxed) }

  // Handlers run on the connection's loop, so most of the time `send` and `next` neither wait nor hop.

  nonisolated(nonsending) func send(_ message: RawMessage) async throws(RPCError) {
    if let done = sendNow(message) { return try done.get() }
    let result = await withUnsafeContinuation { sender in
      onLoop { $0.send(self.id, message, sender) }
    }
    try result.get()
  }

  nonisolated(nonsending) func next() async throws(RPCError) -> RawMessage? {
    if let done = nextNow() { return try done.get() }
    let result = await withUnsafeContinuation { reader in
      onLoop { $0.next(self.id, reader) }
    }
    return try result.get()
  }

  private func sendNow(_ message: RawMessage) -> Result<Void, RPCError>? {
    connection.ifOnLoop { $0.sendNow(id, message) } ?? nil
  }

  private func nextNow() -> Result<RawMessage?, RPCError>? {
    connection.ifOnLoop { $0.nextNow(id) } ?? nil
  }

  func offer(payload: Payload?, encode: @escaping @Sendable (UInt64) -> [UInt8]) {
    let offer = Offer(payload: payload, encode: encode)
    guard connection.isOnLoop else { return onLoop { [id] in $0.offer(id, offer) } }
    connection.offer(id, offer)
  }

  func releaseBuffers() {
    onLoop { $0.releaseBuffers(self.id) }
  }

  private func onLoop(_ body: @escaping @Sendable (ServerConnection) -> Void) {
    connection.onLoop(body)
  }
}

/// A task that waits for a message.
typealias MessageReader = UnsafeContinuation<Result<RawMessage?, RPCError>, Never>
/// A task that waits for credit or room to send a message.
typealias MessageSender = UnsafeContinuation<Result<Void, RPCError>, Never>

/// A frame that is sent if it is still the newest when there is room.
struct Offer: Sendable {
  let payload: Payload?
  let encode: @Sendable (UInt64) -> [UInt8]
}

/// The connection's state of a running handler. Confined to the connection.
final class RunningHandler {
  let call: ServerCall
  /// The length of ``request``, as it came.
  let requestBytes: Int
  /// Whether the call has many answers. Only these need credit.
  let streamsAnswers: Bool
  var task: Task<Void, Never>?
  /// The only message of a call without a client stream, until the handler has asked for it.
  var request: RawMessage?
  /// The messages of a client stream that came and that the handler has not asked for yet.
  var inbox: [RawMessage] = []
  var isInboxClosed = false
  /// Whether the call is over, although the handler has not returned.
  var isStopped = false
  var readers: [MessageReader] = []
  /// The tasks that wait for room, with their messages.
  var senders: [(message: RawMessage, sender: MessageSender)] = []
  /// The newest frame, which waits for credit and room.
  var offer: Offer?
  /// How many frames were replaced or aborted since the last one that was delivered.
  var pendingDiscards: UInt64 = 0
  /// Whether the next frame must not be aborted, since the one before it was.
  var protectsNextFrame = false
  /// Whether the frame on its way must not be aborted.
  var isFrameProtected = false
  /// How long the frame on its way is on its way.
  var frameWait = FrameWait()
  /// How long ``offer`` has waited.
  var offerWait = FrameWait()
  /// The status with which the call ends after the frame that waits; `nil`: the handler has not returned.
  var ending: RPCError?

  init(_ call: ServerCall, requestBytes: Int, streamsAnswers: Bool) {
    self.call = call
    (self.requestBytes, self.streamsAnswers) = (requestBytes, streamsAnswers)
  }

  /// Whether a message waits for credit or room.
  var hasWaiting: Bool { offer != nil || !senders.isEmpty }
}
