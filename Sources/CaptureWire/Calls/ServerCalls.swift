import CaptureLoop
public import CaptureModel
import CaptureSystem

/// What a handler knows about its call.
public struct CallContext: Sendable {
  public var method: MethodDescriptor
  /// "127.0.0.1:53211", "unix"
  public var peer: String
  /// A number that is unique in this process. It names the connection in messages ("held by client 3 (127.0.0.1:53211)").
  public var connectionID: UInt64
  /// Who calls, according to access control. It is never a mere claim of the client.
  public var caller: Caller
  /// Decides which calls the caller may make; `nil`: all.
  public var callGuard: (any CallGuard)?
  /// `CLOCK_MONOTONIC` nanoseconds; `nil`: no deadline. The transport cancels the handler's task at the deadline.
  public var deadline: UInt64?
  public var metadata: [CallMetadata]
  /// Collects the cameras that the call turns out to be for, when its service finds them; `nil`: nobody needs them.
  public var cameras: CalledCameras?

  public init(
    method: MethodDescriptor, peer: String, connectionID: UInt64, caller: Caller = .trusted,
    callGuard: (any CallGuard)? = nil, deadline: UInt64? = nil, metadata: [CallMetadata] = []
  ) {
    self.method = method
    self.peer = peer
    self.connectionID = connectionID
    self.caller = caller
    self.callGuard = callGuard
    self.deadline = deadline
    self.metadata = metadata
  }
}

/// Writes the answers of a call on the node; the transport implements it, and so do tests without a transport.
public protocol RawResponseWriter: AnyObject, Sendable {
  /// Waits for credit and for room in the socket, then sends the message. Throws `cancelled` when the call is over.
  nonisolated(nonsending) func send(_ message: RawMessage) async throws(RPCError)
  /// Offers a message without waiting. A newer message replaces an older one that waits. `encode` runs on the connection's loop when the message is
  /// sent; it gets the number of messages that were replaced since the last one that was delivered.
  func offer(payload: Payload?, encode: @escaping @Sendable (_ discarded: UInt64) -> [UInt8])
  /// Lets go of the buffers of a camera that is short of them: drops the offer that waits, copies the rest of the chunk in flight, and aborts the
  /// message of that chunk.
  func releaseBuffers()
  /// How many offers of this call were replaced or aborted so far.
  var discarded: UInt64 { get }
  /// How many offers could be sent right now: the call's credit, or 0 while a message of the call is waiting. Any thread may read it.
  var room: Int { get }
  /// The serial queue on which `offer` and `releaseBuffers` work. They work at once when called on it, and hop to it from elsewhere.
  var loop: QueueExecutor { get }
}

/// Reads a client's messages for a handler; the transport implements it, and so do tests without a transport.
public protocol RawRequestReader: AnyObject, Sendable {
  /// The next message; `nil` when the client has sent its last.
  nonisolated(nonsending) func next() async throws(RPCError) -> RawMessage?
}

/// A typed ``RawResponseWriter``.
public struct ResponseWriter<Message: WireMessage>: Sendable {
  public let raw: any RawResponseWriter
  public init(_ raw: any RawResponseWriter) { self.raw = raw }

  /// Sends a message. It waits for credit and for room in the socket. Throws `cancelled` when the call is over.
  public nonisolated(nonsending) func send(_ message: Message) async throws(RPCError) {
    try await raw.send(message.raw())
  }
}

extension ResponseWriter where Message: LatestMessage & PayloadMessage {
  /// Offers a message without waiting. A newer message replaces an older one that waits.
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
      return try Message(request: raw, of: reader.method)
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: self) }
}

/// A service on the node. Generated code connects raw calls to a typed server protocol.
public protocol ServiceHandler: Sendable {
  var methods: [MethodDescriptor] { get }
  /// Runs one call. For unary and client-streaming methods it sends the one answer itself through `responses`. The call ends in OK when this returns,
  /// and in the error's status when it throws.
  nonisolated(nonsending) func handle(
    _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
    responses: any RawResponseWriter
  ) async throws
  /// Which of a call's metadata its context gets. Metadata that nobody uses is not kept while the call lasts.
  func metadata(of method: MethodDescriptor) -> MetadataUse
}

/// The part of its calls' metadata that a method uses.
public enum MetadataUse: Hashable, Sendable {
  case none
  /// The leases' tokens.
  case leases
  /// All metadata, as it is.
  case all

  /// The part of a call's metadata that is used. A token that is longer than any valid one is shortened, but stays too long to be valid.
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

  /// The most tokens that are kept of one call. No call needs so many, since none is for so many cameras.
  static let mostTokens = NodeLimit.leaseTokensPerCall.usual
  /// The longest valid token, in bytes.
  static let longestToken = 32
}

extension ServiceHandler {
  /// By default, unary calls use the leases' tokens, and calls that stream in either direction use no metadata.
  public func metadata(of method: MethodDescriptor) -> MetadataUse { method.kind == .unary ? .leases : .none }
}
