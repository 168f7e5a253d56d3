public import CaptureModel
internal import CaptureWire

/// Events of a node, in their order, until the reading task is cancelled or the node ends them. They go on after a lost connection
/// (``RemoteNode/Configuration/reconnect``): the first event after it has a ``Resumption``. A settings event that says that an unplugged camera
/// is back has one, too. Each iterator begins anew.
///
/// The node is asked when an iterator is first read. An error ends the events: the node's, where it refuses them or cannot go on; `cancelled`, where
/// the reading task is cancelled; and `unavailable`, where the connection is away when the node is asked, is lost and not made again, or was ended by
/// ``RemoteNode/close()``.
public struct ResumingEvents<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Resumed<Value>
  public typealias Failure = CaptureError

  private let connection: any NodeConnection
  private let resumes: Bool
  /// Opens a call. It hides the call's type of messages: each service has its own.
  private let begin: @Sendable (any NodeConnection) async throws(RPCError) -> Reader
  /// Reads the next value from a call; `nil`: the node has ended the call.
  private typealias Reader = (isolated (any Actor)?) async throws(RPCError) -> Value?
  private let afterPause: @Sendable (Value, Value) -> Value
  private let combined: @Sendable (Value, Value) -> Value
  private let continuity: @Sendable (Value) -> CameraContinuity?
  private let mayComeBack: @Sendable (RPCError) -> Bool

  /// `read` returns `nil` for a message that only newer nodes send. `afterPause(new, known)` returns the first value after a pause, completed by what
  /// was known before. `combined(new, known)` returns what is known after the new value. `continuity`: what a value says of its camera's absence.
  /// `mayComeBack`: whether to wait, after this error, for a camera, session or library that the node does not have after a pause.
  init<Message: WireMessage>(
    _ connection: any NodeConnection, resumes: Bool = true,
    open: @escaping @Sendable (any NodeConnection) async throws(RPCError) -> ResponseStream<Message>,
    read: @escaping @Sendable (Message) -> Value?,
    afterPause: @escaping @Sendable (Value, Value) -> Value = { value, _ in value },
    combined: @escaping @Sendable (Value, Value) -> Value = { value, _ in value },
    continuity: @escaping @Sendable (Value) -> CameraContinuity? = { _ in nil },
    mayComeBack: @escaping @Sendable (RPCError) -> Bool = { _ in false }
  ) {
    self.connection = connection
    self.resumes = resumes
    self.afterPause = afterPause
    self.combined = combined
    self.continuity = continuity
    self.mayComeBack = mayComeBack
    begin = { connection throws(RPCError) in
      var messages = try await open(connection).makeAsyncIterator()
      return { (actor: isolated (any Actor)?) async throws(RPCError) -> Value? in
        while let message = try await messages.next(isolation: actor) {
          if let value = read(message) { return value }
        }
        return nil
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let events: ResumingEvents
    private var call: ResumableCall
    private var reader: Reader?
    private var known: Value?

    init(_ events: ResumingEvents) {
      self.events = events
      call = ResumableCall(events.connection, mayComeBack: events.mayComeBack)
    }

    public mutating func next() async throws(CaptureError) -> Resumed<Value>? {
      try await next(isolation: nil)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(CaptureError)
      -> Resumed<Value>?
    {
      do throws(RPCError) {
        if reader == nil { reader = try await call.open(events.begin) }
        while true {
          do throws(RPCError) {
            guard let value = try await reader!(actor) else { return nil }
            return element(value)
          } catch {
            guard events.resumes else { throw error }
            reader = try await call.reopen(after: error, events.begin)
          }
        }
      } catch {
        throw CaptureError(error)
      }
    }

    private mutating func element(_ value: Value) -> Resumed<Value> {
      var element = Resumed(value, call.endPause(events.continuity(value)))
      if element.resumption != nil, let known { element.value = events.afterPause(value, known) }
      known = known.map { events.combined(element.value, $0) } ?? element.value
      return element
    }
  }
}
