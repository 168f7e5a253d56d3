import CaptureModel
import CaptureWire

/// Sessions of a node: cameras that run together, and where their pictures go. An unknown session is `notFound`, naming those there are.
extension RemoteNode {
  /// Every session, by name.
  public func sessions() async throws(RPCError) -> [SessionStatus] {
    try await SessionsClient(connection).list(ListSessionsRequest(), options: callOptions).sessions.map(
      \.model)
  }

  /// How a session is.
  public func session(_ name: String) async throws(RPCError) -> SessionStatus {
    try await SessionsClient(connection).get(GetSessionRequest(session: name), options: callOptions).model
  }

  /// Makes a session, or changes one: all of `configuration` or nothing (`beginConfiguration`, `commitConfiguration`).
  ///
  /// `name`: `nil` for a new session that ends with this connection; one that no session has makes one that lives until it is closed.
  /// `revision`: of the status that the change was made from, `aborted` if the session has changed since; `nil`: whatever it is now.
  /// `start`: in the same step. What cannot be is refused with the reason.
  @discardableResult
  public func configure(
    _ name: String? = nil, _ configuration: CaptureModel.SessionConfiguration, revision: UInt64? = nil,
    start: Bool = false
  ) async throws(RPCError) -> SessionStatus {
    try await SessionsClient(connection).configure(
      ConfigureSessionRequest(
        session: name ?? "", configuration: CaptureWire.SessionConfiguration(configuration),
        revision: revision ?? 0, start: start),
      options: callOptions
    ).model
  }

  /// Starts its cameras, all or none. `startRunning`.
  @discardableResult
  public func start(session name: String) async throws(RPCError) -> SessionStatus {
    try await SessionsClient(connection).start(StartSessionRequest(session: name), options: callOptions).model
  }

  /// Stops its cameras; subscribers wait for its next start. `stopRunning`.
  @discardableResult
  public func stop(session name: String) async throws(RPCError) -> SessionStatus {
    try await SessionsClient(connection).stop(StopSessionRequest(session: name), options: callOptions).model
  }

  /// Stops it and forgets it.
  public func close(session name: String) async throws(RPCError) {
    _ = try await SessionsClient(connection).close(CloseSessionRequest(session: name), options: callOptions)
  }

  /// First how the session is, then what happens to it, until it is closed.
  public func events(of session: String) async throws(RPCError) -> SessionEvents {
    SessionEvents(
      events: try await SessionsClient(connection).events(
        SessionEventsRequest(session: session), options: CallOptions(window: 64)))
  }
}

/// What happens to a session, until it is closed, the reading task is cancelled, or the connection ends.
public struct SessionEvents: AsyncSequence, Sendable {
  public typealias Element = CaptureModel.SessionEvent
  public typealias Failure = RPCError
  let events: ResponseStream<CaptureWire.SessionEvent>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var events: ResponseStream<CaptureWire.SessionEvent>.AsyncIterator

    public mutating func next() async throws -> CaptureModel.SessionEvent? { try await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError)
      -> CaptureModel.SessionEvent?
    {
      while let event = try await events.next(isolation: actor) {
        if let event = event.model { return event }
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: events.makeAsyncIterator()) }
}
