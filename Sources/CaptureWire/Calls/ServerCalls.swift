import CaptureSystem

/// What a handler knows about its call. The seam where authorization reads who calls.
public struct CallContext: Sendable {
  public var method: MethodDescriptor
  /// "127.0.0.1:53211", "unix"
  public var peer: String
  /// Of this process, unique; names the connection in messages ("held by client 3 (127.0.0.1:53211)").
  public var connectionID: UInt64
  /// Who calls, as access control has found out; `nil` until there is any, and then for those who have not said. Never what a client
  /// merely claims about itself.
  public var identity: String?
  /// `CLOCK_MONOTONIC` nanoseconds; `nil`: none. The transport cancels the handler's task when it passes.
  public var deadline: UInt64?
  public var metadata: [CallMetadata]

  public init(
    method: MethodDescriptor, peer: String, connectionID: UInt64, identity: String? = nil,
    deadline: UInt64? = nil, metadata: [CallMetadata] = []
  ) {
    self.method = method
    self.peer = peer
    self.connectionID = connectionID
    self.identity = identity
    self.deadline = deadline
    self.metadata = metadata
  }
}

/// The node's side of a call's answers, as the transport implements it.
public protocol RawResponseWriter: AnyObject, Sendable {
  /// Waits for credit and for room in the socket, then hands the message over. Throws `cancelled` when the call is over.
  nonisolated(nonsending) func send(_ message: RawMessage) async throws(RPCError)
  /// Never waits: the newest message wins. `encode` is called on the connection's loop when it is sent, with the number
  /// of messages that were replaced before it since the last one that was delivered.
  func offer(payload: Payload?, encode: @escaping @Sendable (_ discarded: UInt64) -> [UInt8])
  /// The camera is short of buffers: drop the waiting offer, copy the rest of the chunk in flight, abort its message, let the payload go.
  func relinquish()
  /// Offers replaced or aborted on this call so far.
  var discarded: UInt64 { get }
  /// Offers that could go out now, one after the other: the call's credit while nothing of it waits, else 0. Read from any thread.
  var room: Int { get }
  /// The serial queue that `offer` and `relinquish` do their work on. Called on it they work at once; elsewhere they hop.
  var loop: QueueExecutor { get }
}

/// The client's messages, as the transport hands them to a handler.
public protocol RawRequestReader: AnyObject, Sendable {
  /// The next message; `nil` when the client has sent its last.
  nonisolated(nonsending) func next() async throws(RPCError) -> RawMessage?
}

/// A typed ``RawResponseWriter``.
public struct ResponseWriter<Message: WireMessage>: Sendable {
  public let raw: any RawResponseWriter
  public init(_ raw: any RawResponseWriter) { self.raw = raw }

  /// Waits for credit and for room in the socket. Throws `cancelled` when the call is over.
  public nonisolated(nonsending) func send(_ message: Message) async throws(RPCError) {
    try await raw.send(message.raw())
  }
}

extension ResponseWriter where Message: LatestMessage & PayloadMessage {
  /// Never waits: the newest message wins.
  public func offer(_ message: Message) {
    raw.offer(payload: message.data) { discarded in
      var message = message
      message.discarded &+= discarded
      message.data = nil
      return message.encoded()
    }
  }
}

/// A typed ``RawRequestReader``: the messages of a client stream, in order.
public struct RequestReader<Message: WireMessage>: AsyncSequence, Sendable {
  public typealias Element = Message
  public typealias Failure = RPCError
  public let raw: any RawRequestReader
  private let method: String

  public init(_ raw: any RawRequestReader, method: String) {
    self.raw = raw
    self.method = method
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: RequestReader

    public mutating func next() async throws -> Message? { try await self.next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError) -> Message? {
      guard let raw = try await reader.raw.next() else { return nil }
      do throws(WireError) {
        return try Message(raw)
      } catch {
        throw RPCError(.invalidArgument, "\(reader.method): \(error)")
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: self) }
}

/// A service on the node: generated glue between raw calls and a typed server protocol.
public protocol ServiceHandler: Sendable {
  var methods: [MethodDescriptor] { get }
  /// Runs one call. For unary and client-streaming methods it sends the one answer itself through `responses`.
  /// Returning normally ends the call in OK; a thrown error in its status.
  nonisolated(nonsending) func handle(
    _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
    responses: any RawResponseWriter
  ) async throws
  /// How a unary method's calls are answered where that takes no waiting. `nil`: ``handle(_:context:requests:responses:)`` answers all
  /// of them.
  func promptAnswer(to method: MethodDescriptor) -> PromptAnswer?
  /// Which of a call's metadata its context has; what nobody uses is not kept while the call lasts.
  func metadata(of method: MethodDescriptor) -> MetadataUse
}

/// What a method uses of its calls' metadata.
public enum MetadataUse: Hashable, Sendable {
  case none
  /// The leases' tokens.
  case leases
  /// All of it, as it is.
  case all

  /// Of a call's metadata what is used. Of a token that is longer than any the beginning is enough: it is none.
  package func kept(of metadata: [CallMetadata]) -> [CallMetadata] {
    switch self {
    case .none: []
    case .all: metadata
    case .leases:
      metadata.filter { $0.key == CallMetadata.leaseKey }.prefix(Self.mostTokens).map {
        CallMetadata(key: $0.key, value: Array($0.value.prefix(Self.longestToken + 1)))
      }
    }
  }

  /// Of a call: more than a call has cameras.
  static let mostTokens = 256
  static let longestToken = 32
}

extension ServiceHandler {
  public func promptAnswer(to method: MethodDescriptor) -> PromptAnswer? { nil }
  /// Calls with one answer use leases, if they are told nothing else; streams none.
  public func metadata(of method: MethodDescriptor) -> MetadataUse { method.kind == .unary ? .leases : .none }
}
