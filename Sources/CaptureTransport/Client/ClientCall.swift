import CaptureSystem
import CaptureWire
import Synchronization

/// The client's handle of an open call. The call's state lives in the connection.
final class ClientCall: RawClientCall {
  let id: UInt32
  let connection: ClientConnection
  /// Whether the connection has forgotten the call: it ended and everything was read.
  let isForgotten = Atomic<Bool>(false)
  let aborted = Atomic<UInt64>(0)

  init(id: UInt32, connection: ClientConnection) {
    self.id = id
    self.connection = connection
  }

  deinit {
    guard !isForgotten.load(ordering: .relaxed) else { return }
    // This runs later, since the last reference may go away while the connection works on this very call.
    connection.loop.serial.async { [connection, id] in _ = connection.ifOnLoop { $0.abandon(id) } }
  }

  var abortedPayloads: UInt64 { aborted.load(ordering: .relaxed) }

  // For a task that prefers the connection's loop, `next` and `send` need no hop.

  func next() async throws(RPCError) -> RawMessage? {
    if Task.isCancelled { cancel() }
    if let done = nextNow() { return try done.get() }
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { reader in connection.onLoop { $0.next(self, reader) } }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  func send(_ message: RawMessage) async throws(RPCError) {
    if let done = sendNow(message) { return try done.get() }
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { sender in connection.onLoop { $0.send(self, message, sender) } }
    } onCancel: {
      cancel()
    }
    try result.get()
  }

  private func nextNow() -> Result<RawMessage?, RPCError>? {
    connection.ifOnLoop { $0.nextNow(self) } ?? nil
  }

  private func sendNow(_ message: RawMessage) -> Result<Void, RPCError>? {
    connection.ifOnLoop { $0.sendNow(self, message) } ?? nil
  }

  func finishSending() async throws(RPCError) {
    await connection.finishSending(id)
  }

  func cancel() {
    connection.onLoop { [id] in $0.cancel(id, RPCError(.callCancelled)) }
  }
}

/// The connection's state of an open call. Confined to the connection.
final class OpenCall {
  let id: UInt32
  var inbox: [RawMessage] = []
  /// The call's end; `nil` while it is open.
  var ending: Result<Void, RPCError>?
  var readers: [MessageReader] = []
  /// The tasks that wait for credit, with their messages.
  var senders: [(message: RawMessage, sender: MessageSender)] = []
  weak var handle: ClientCall?

  init(_ id: UInt32) { self.id = id }
}
