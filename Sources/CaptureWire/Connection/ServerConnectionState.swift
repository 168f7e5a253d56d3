import CaptureModel
import CaptureSystem

/// The node's side of one connection: every rule of the protocol, and no I/O. Packets, local decisions and time go in;
/// packets go into ``outbox``, and what the driver has to do into ``actions``.
///
/// It has one owner and is never copied: reading a part of it in place costs nothing.
package struct ServerConnectionState: ~Copyable {
  package struct Configuration: Sendable {
    package var limits = PacketLimits.node
    package var agent = "capture-node"
    package var bootID = ""
    /// Handlers running at once, those of cancelled calls counted.
    package var maxCalls = NodeLimit.callsPerConnection.usual
    /// Messages of a client stream ahead of its handler.
    package var initialCredit = UInt32(NodeLimit.messagesAhead.usual)
    /// Nanoseconds.
    package var helloTimeout: UInt64 = 5_000_000_000
    package var keepaliveIdle: UInt64 = 30_000_000_000
    package var keepalivePatience: UInt64 = 10_000_000_000
    /// Cancels at once, and a second.
    package var cancelBurst = NodeLimit.cancelBurst.usual
    package var cancelsPerSecond = NodeLimit.cancelsPerSecond.usual

    package init() {}
  }

  /// A call that begins.
  package struct Start {
    package let id: UInt32
    package let method: MethodDescriptor
    /// The method's in the table.
    package let place: Int
    package let metadata: [CallMetadata]
    package let deadline: UInt64?
    /// The one message of a method without a client stream: no ``Action/message(_:_:)`` follows. Otherwise `nil`.
    package let request: RawMessage?
  }

  /// What the driver has to do, in order.
  package enum Action {
    /// Run the handler.
    case start(Start)
    /// A message of a client stream.
    case message(UInt32, RawMessage)
    /// The client has sent its last message of this call.
    case endOfMessages(UInt32)
    /// The call is over; its handler is to stop.
    case stop(UInt32)
    /// The call's answers may go on: there is more credit.
    case credit(UInt32)
    /// A Pong came for the Ping with this time.
    case pong(Pong, received: UInt64)
  }

  enum Phase {
    case awaitingHello
    case open
    /// A GoAway is on its way; nothing that comes matters any more.
    case closing
  }

  struct Call {
    let method: MethodDescriptor
    /// The method's in the table.
    let place: Int
    var metadata: [CallMetadata] = []
    var deadline: UInt64?
    /// The handler was started; it still counts after the call is over.
    var isStarted = false
    /// The client's last message is here.
    var isHalfClosed = false
    /// Messages that the client may still send.
    var receiveCredit: UInt32
    /// Consumed by the handler, not yet told to the client.
    var owedCredit: UInt32 = 0
    /// Answers that the client takes.
    var sendCredit: UInt32
    var assembly: PayloadAssembly?
  }

  let configuration: Configuration
  let methods: MethodTable
  let pool: PayloadPool
  package var outbox: Outbox
  package var actions: [Action] = []

  var phase = Phase.awaitingHello
  var calls = CallTable<Call>()
  /// Open calls whose first message is not whole.
  var unstartedCalls = 0
  /// No deadline of an open call is before it.
  var nextDeadline = UInt64.max
  package internal(set) var lastCallID: UInt32 = 0
  /// Handlers that have not returned.
  package internal(set) var runningHandlers = 0
  package internal(set) var callsTotal: UInt64 = 0
  package internal(set) var callsFailed: UInt64 = 0
  /// Calls that the client has made the node give up.
  package internal(set) var cancelsTotal: UInt64 = 0
  /// A drain was announced: no new calls.
  package internal(set) var isDraining = false
  var drainText = ""
  /// The peer is gone, or told to go: nothing more is read.
  package internal(set) var isDead = false
  /// Why the connection was ended from here.
  package private(set) var violation: ProtocolViolation?
  /// The peer has sent nothing yet.
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

  /// The GoAway that ends the connection is written or being written.
  package var isClosing: Bool { phase == .closing }
  /// Calls that are open.
  package var openCalls: Int { calls.count }

  /// Ends the connection: a GoAway with the reason, once what was begun is written.
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
      outbox.send(goAway(violation.code, violation.text))
    }
  }

  /// No new calls from here on. The connection may close when ``runningHandlers`` and the outbox are empty.
  package mutating func drain(text: String) {
    guard !isDraining, phase != .closing else { return }
    isDraining = true
    drainText = text
    // Before the client's first bytes the node says nothing.
    if phase == .open { outbox.send(goAway(.ok, text)) }
  }

  private func goAway(_ code: StatusCode, _ text: String) -> Envelope {
    Envelope(kind: .goAway(GoAway(lastCallID: lastCallID, code: code.rawValue, text: text)))
  }
}
