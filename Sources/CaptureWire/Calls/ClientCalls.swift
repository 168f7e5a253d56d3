import CaptureSystem

/// How a call is made.
public struct CallOptions: Sendable {
  /// The longest time from the call's opening to its Status; `nil`: no limit. Both sides enforce it.
  public var timeout: Duration?
  public var metadata: [CallMetadata]
  /// How many messages of a streamed answer the client accepts before it has read them: 1 to 1,000.
  public var window: UInt32

  public init(timeout: Duration? = nil, metadata: [CallMetadata] = [], window: UInt32 = 2) {
    self.timeout = timeout
    self.metadata = metadata
    self.window = window
  }
}

/// A connection as stubs use it; the transport implements it. A call runs on its caller's executor, from the stub down to the connection: each hop
/// between would ask the runtime about the task's executors.
public protocol CallChannel: Sendable {
  /// Makes a call with one message each way.
  nonisolated(nonsending) func unary(_ method: MethodDescriptor, _ request: RawMessage, options: CallOptions)
    async throws(RPCError)
    -> RawMessage
  /// Opens a call. For server-streaming methods `request` is the only message (`last` is true). `nil` opens a client stream without a message.
  nonisolated(nonsending) func open(
    _ method: MethodDescriptor, _ request: RawMessage?, last: Bool, options: CallOptions
  ) async throws(RPCError) -> any RawClientCall
}

/// The client's side of an open call; the transport implements it, and so do tests without a transport. Letting go of the last reference cancels the
/// call.
public protocol RawClientCall: AnyObject, Sendable {
  /// The next answer; `nil` when the call ended in OK. Cancelling the task cancels the call.
  func next() async throws(RPCError) -> RawMessage?
  /// Sends a message. It waits for credit.
  func send(_ message: RawMessage) async throws(RPCError)
  /// Tells the node that no more messages come.
  func finishSending() async throws(RPCError)
  func cancel()
  /// How many payloads of this call the node began and aborted.
  var abortedPayloads: UInt64 { get }
}

/// A streamed answer, message by message. Cancelling the task that reads, or dropping the sequence, cancels the call.
public struct ResponseStream<Message: WireMessage>: AsyncSequence, Sendable {
  public typealias Element = Message
  public typealias Failure = RPCError
  public let call: any RawClientCall

  public init(_ call: any RawClientCall) { self.call = call }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let call: any RawClientCall

    public mutating func next() async throws -> Message? { try await self.next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError) -> Message? {
      guard let raw = try await call.next() else { return nil }
      do throws(WireError) {
        return try Message(raw)
      } catch {
        call.cancel()
        throw RPCError(.dataLoss, "the node's answer does not parse: \(error)")
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(call: call) }
}

/// The client's side of a client-streaming or bidirectional call.
public struct RequestWriter<Message: WireMessage>: Sendable {
  public let call: any RawClientCall
  public init(_ call: any RawClientCall) { self.call = call }

  /// Sends a message. It waits for credit.
  public func send(_ message: Message) async throws(RPCError) { try await call.send(message.request()) }
  public func finish() async throws(RPCError) { try await call.finishSending() }
}
