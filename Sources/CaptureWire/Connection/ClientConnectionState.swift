import CaptureSystem

/// The client's side of one connection: the protocol's rules without I/O. ``ServerConnectionState`` is the node's side.
package struct ClientConnectionState: ~Copyable {
  package struct Configuration: Sendable {
    package var limits = PacketLimits.client
    package var agent = "capture-client"
    package var bootID = ""
    /// The secret by which the node knows the client; empty: none.
    package var credential: [UInt8] = []
    /// The longest payload of a message that the client accepts, in bytes.
    package var payloadLimit: UInt64 = 1 << 30
    /// How long the node may be silent before a Ping, in nanoseconds.
    package var keepaliveIdle: UInt64 = 30_000_000_000
    /// How long the node's answer to that Ping may take, in nanoseconds.
    package var keepalivePatience: UInt64 = 10_000_000_000

    package init() {}
  }

  /// A task for the connection, which does its tasks in order.
  package enum Action {
    /// The node's Hello came: it serves the connection.
    case opened(Hello)
    case message(UInt32, RawMessage)
    /// The node aborted a payload of this call.
    case aborted(UInt32)
    /// The call is over; `nil`: it ended in OK.
    case ended(UInt32, RPCError?)
    /// The node accepts more messages of this call.
    case credit(UInt32)
    case pong(Pong, received: UInt64)
  }

  struct Call {
    var method: MethodDescriptor
    var timeout: Duration?
    var deadline: UInt64?
    var sendCredit: UInt32 = 0
    /// How many messages were sent. Those that were sent before the node's Hello use up a part of the credit that the Hello gives.
    var sentMessages: UInt32 = 0
    var isHalfClosed = false
    /// How many messages of the answer the node may still send.
    var receiveCredit: UInt32
    var owedCredit: UInt32 = 0
    let window: UInt32
    var assembly: PayloadAssembly?
  }

  let configuration: Configuration
  let pool: PayloadPool
  package var outbox: Outbox
  package var actions: [Action] = []

  var calls = CallTable<Call>()
  /// No open call has a deadline before this time, in nanoseconds.
  var nextDeadline = UInt64.max
  private var nextCallID: UInt32 = 1
  /// The node's Hello, once it has come.
  package internal(set) var hello: Hello?
  /// Why the connection takes no new call.
  package internal(set) var refusal: RPCError?
  /// Why the connection is over.
  package internal(set) var failure: RPCError?
  var keepalive: Keepalive

  package init(configuration: Configuration, pool: PayloadPool, now: UInt64) {
    self.configuration = configuration
    self.pool = pool
    outbox = Outbox(peer: .node)
    keepalive = Keepalive(
      idle: configuration.keepaliveIdle, patience: configuration.keepalivePatience, now: now)
    outbox.send(
      Envelope(
        kind: .hello(
          Hello(
            version: 1, agent: configuration.agent, bootID: configuration.bootID,
            limits: configuration.limits.message, credential: configuration.credential))))
  }

  package var openCalls: Int { calls.count }

  /// Ends the connection because it was lost. Every call fails.
  package mutating func fail(_ error: RPCError) {
    guard failure == nil else { return }
    failure = error
    refusal = refusal ?? error
    for id in calls.keys { actions.append(.ended(id, error)) }
    calls.removeAll()
    outbox.dropAll()
  }

  /// Ends the connection because the node broke the protocol, and tells the node.
  package mutating func fail(_ violation: ProtocolViolation) {
    guard failure == nil else { return }
    if violation.isOtherProtocol {
      return fail(
        RPCError(
          .unavailable,
          "the program that answers there is not a capture node\(violation.guess.map { ": \($0)" } ?? ""); another program has that port"
        ))
    }
    fail(RPCError(.internal, "the node broke the protocol: \(violation.text)"))
    outbox.send(Envelope(kind: .goAway(GoAway(code: violation.code.rawValue, text: violation.text))))
  }

  /// Opens a call, and returns its number. The Request waits in the outbox.
  package mutating func open(
    _ method: MethodDescriptor, _ request: RawMessage?, last: Bool, options: CallOptions,
    now: @autoclosure () -> UInt64
  ) throws(RPCError) -> UInt32 {
    if let refusal { throw refusal }
    guard nextCallID < UInt32.max - 1 else {
      throw RPCError(.unavailable, "this connection has used up its call numbers; connect again")
    }
    let size =
      (request?.body.count ?? 0) + options.metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.count + 16 }
    try checkSize(size + method.name.utf8.count + 64)
    let id = nextCallID
    nextCallID += 2
    let window = min(max(options.window, 1), 1_000)
    var call = Call(method: method, receiveCredit: method.serverStreams ? window : 1, window: window)
    if let hello { call.sendCredit = hello.initialCredit }
    if request != nil {
      call.sentMessages = 1
      call.sendCredit -= min(1, call.sendCredit)
    }
    call.isHalfClosed = last
    var milliseconds: UInt32 = 0
    if let timeout = options.timeout {
      let nanoseconds = timeout.nanoseconds
      let deadline = now() + nanoseconds
      call.timeout = timeout
      call.deadline = deadline
      nextDeadline = min(nextDeadline, deadline)
      milliseconds = UInt32(min(max(1, (nanoseconds + 999_999) / 1_000_000), UInt64(UInt32.max)))
    }
    calls.insert(id, call)
    let payload = request?.payload.flatMap { $0.count > 0 ? $0 : nil }
    let envelope = Envelope(
      callID: id,
      kind: .request(
        Request(
          method: method.name, timeoutMs: milliseconds,
          metadata: options.metadata.map { Metadata(key: $0.key, value: $0.value) },
          credit: method.serverStreams ? window : 0, body: request?.body ?? [], last: last,
          payloadLength: UInt64(payload?.count ?? 0), noMessage: request == nil)))
    if let payload {
      outbox.send(envelope, payload: payload)
    } else {
      outbox.send(envelope)
    }
    return id
  }

  func checkSize(_ count: Int) throws(RPCError) {
    guard count <= outbox.peer.envelope else {
      throw RPCError(
        .resourceExhausted,
        "the message has \(count) bytes beside its payload; the node takes \(outbox.peer.envelope) (max_envelope_bytes)"
      )
    }
  }
}

extension Duration {
  /// The duration in nanoseconds: not negative, and below 100 years.
  package var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 3_000_000_000)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
