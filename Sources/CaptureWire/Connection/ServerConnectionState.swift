import CaptureModel
import CaptureSystem

/// The node's side of one connection: every rule of the protocol, and no I/O. Packets, local decisions and time go in. Packets come out in
/// ``outbox``, and the connection's tasks in ``actions``.
///
/// It has one owner and is never copied, so reading a part of it in place costs nothing.
package struct ServerConnectionState: ~Copyable {
  package struct Configuration: Sendable {
    package var limits = PacketLimits.node
    package var agent = "capture-node"
    package var bootID = ""
    /// When the node's process started, in nanoseconds of `CLOCK_MONOTONIC`; 0: the node does not say.
    package var startedAt: UInt64 = 0
    /// How many handlers may run at once, including those of cancelled calls.
    package var maxCalls = NodeLimit.callsPerConnection.usual
    /// How many messages of a client stream may wait for their handler.
    package var initialCredit = UInt32(NodeLimit.messagesAhead.usual)
    /// How long the node waits for the client's Hello, in nanoseconds.
    package var helloTimeout: UInt64 = 5_000_000_000
    /// How long the client may be silent before a Ping, in nanoseconds.
    package var keepaliveIdle: UInt64 = 30_000_000_000
    /// How long the client's answer to that Ping may take, in nanoseconds.
    package var keepalivePatience: UInt64 = 10_000_000_000
    /// How many cancels are allowed at once.
    package var cancelBurst = NodeLimit.cancelBurst.usual
    /// How many cancels are allowed a second, after those.
    package var cancelsPerSecond = NodeLimit.cancelsPerSecond.usual

    package init() {}
  }

  /// A call that has to begin.
  package struct Start {
    package let id: UInt32
    package let method: MethodDescriptor
    /// The method's place in the table.
    package let place: Int
    package let metadata: [CallMetadata]
    package let deadline: UInt64?
    /// The only message of a method without a client stream; no ``Action/message(_:_:)`` follows. Otherwise `nil`.
    package let request: RawMessage?
  }

  /// A task for the connection, which does its tasks in order.
  package enum Action {
    /// Run the handler.
    case start(Start)
    /// A message of a client stream.
    case message(UInt32, RawMessage)
    /// The client has sent its last message of this call.
    case endOfMessages(UInt32)
    /// The call is over; its handler has to stop.
    case stop(UInt32)
    /// The call may send more answers: there is more credit.
    case credit(UInt32)
  }

  enum Phase {
    case awaitingHello
    case open
    /// A GoAway has been sent; packets that come no longer matter.
    case closing
  }

  struct Call {
    let method: MethodDescriptor
    /// The method's place in the table.
    let place: Int
    var metadata: [CallMetadata] = []
    var deadline: UInt64?
    /// Whether the handler was started. A started handler counts until it returns, even after the call is over.
    var isStarted = false
    /// Whether the client's last message has come.
    var isHalfClosed = false
    /// How many messages the client may still send.
    var receiveCredit: UInt32
    /// How many messages the handler took that the client has not been told of.
    var owedCredit: UInt32 = 0
    /// How many answers the client still accepts.
    var sendCredit: UInt32
    var assembly: PayloadAssembly?

    mutating func start(_ id: UInt32, _ request: RawMessage?) -> Start {
      isStarted = true
      // The handler has the metadata from here on.
      defer { metadata = [] }
      return Start(
        id: id, method: method, place: place, metadata: metadata, deadline: deadline, request: request)
    }
  }

  let configuration: Configuration
  let methods: MethodTable
  let pool: PayloadPool
  /// Finds who the client is, from its Hello.
  package var identify: (Hello) throws(ProtocolViolation) -> Caller = { _ in .trusted }
  /// Who the client is; `nil`: its Hello has not come.
  package var caller: Caller?
  package var outbox: Outbox
  package var actions: [Action] = []

  var phase = Phase.awaitingHello
  var calls = CallTable<Call>()
  /// How many open calls wait for the whole of their only message.
  var unstartedCalls = 0
  /// No open call has a deadline before this time, in nanoseconds.
  var nextDeadline = UInt64.max
  package internal(set) var lastCallID: UInt32 = 0
  /// The place of the method that was called last. As a rule the same method is called again, and comparing its name costs less than a lookup.
  var lastPlace: Int?
  /// How many handlers have not returned.
  package internal(set) var runningHandlers = 0
  /// How many calls the client has made, with those that were refused. A Request whose number does not rise makes none.
  package internal(set) var callsTotal: UInt64 = 0
  /// How many of these calls ended in a status other than OK and CANCELLED.
  package internal(set) var callsFailed: UInt64 = 0
  /// How many calls the client has made the node give up.
  package internal(set) var cancelsTotal: UInt64 = 0
  /// Whether a drain was announced: no new calls are taken.
  package internal(set) var isDraining = false
  var drainText = ""
  /// Whether the peer does not answer any more, or has sent nothing in the time for its Hello. It is told nothing when the connection is closed.
  package internal(set) var isDead = false
  /// Why the node ended the connection.
  package private(set) var violation: ProtocolViolation?
  /// Whether the peer has sent nothing yet.
  var isSilent = true
  var keepalive: Keepalive
  var cancels: RateBudget
  let openedAt: UInt64

  package init(
    configuration: Configuration, methods: MethodTable, pool: PayloadPool, now: UInt64
  ) {
    self.configuration = configuration
    self.methods = methods
    self.pool = pool
    outbox = Outbox(peer: .client)
    keepalive = Keepalive(
      idle: configuration.keepaliveIdle, patience: configuration.keepalivePatience, now: now)
    cancels = RateBudget(
      burst: configuration.cancelBurst, perSecond: configuration.cancelsPerSecond, now: now)
    openedAt = now
  }

  /// Whether the GoAway that ends the connection is written or being written.
  package var isClosing: Bool { phase == .closing }
  /// How many calls are open.
  package var openCalls: Int { calls.count }

  /// Ends the connection: it sends a GoAway with the reason behind the packets that were begun.
  package mutating func goAway(_ violation: ProtocolViolation) {
    guard phase != .closing else { return }
    phase = .closing
    self.violation = violation
    for id in calls.keys where calls[existing: id].isStarted { actions.append(.stop(id)) }
    calls.removeAll()
    unstartedCalls = 0
    outbox.dropAll()
    if violation.isOtherProtocol {
      outbox.send(line: "\(configuration.agent): \(violation.text)\r\n")
    } else {
      outbox.send(Envelope(kind: .goAway(violation.goAway(lastCallID: lastCallID))))
    }
  }

  /// Takes no new calls from here on. The connection may close when ``runningHandlers`` is 0 and the outbox is empty.
  package mutating func drain(text: String) {
    guard !isDraining, phase != .closing else { return }
    isDraining = true
    drainText = text
    // Before the client's Hello the node says nothing. The drain is announced after that Hello.
    guard phase == .open else { return }
    let drained = ProtocolViolation(.ok, text, .init(.nodeDraining))
    outbox.send(Envelope(kind: .goAway(drained.goAway(lastCallID: lastCallID))))
  }
}
