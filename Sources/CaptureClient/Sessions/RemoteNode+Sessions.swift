import CaptureModel
import CaptureWire

/// Sessions of a node: cameras that run together, and where their pictures go. An unknown session is `notFound`, which lists the sessions.
extension RemoteNode {
  /// Every session, by name.
  public func sessions() async throws(RPCError) -> [SessionStatus] {
    try await SessionsClient(connection).list(ListSessionsRequest(), options: callOptions).sessions.map(
      \.model)
  }

  /// The state of a session.
  public func session(_ name: String) async throws(RPCError) -> SessionStatus {
    try await SessionsClient(connection).get(GetSessionRequest(session: name), options: callOptions).model
  }

  /// Makes or changes a session: all of `configuration`, or nothing (`beginConfiguration`, `commitConfiguration`).
  ///
  /// `name`: `nil` for a new session that ends with this connection; an unused name makes a session that lives until it is closed. `revision`: that of
  /// the status from which the change was made; the call fails with `aborted` if the session has changed since. `nil`: any revision. `start`: starts
  /// the session in the same step. What is impossible is refused with the reason. `isDryRun`: nothing is changed; the result is the state as it would
  /// be, and the refusals are the same (`canAddInput`, `canAddOutput`).
  @discardableResult
  public func configure(
    _ name: String? = nil, _ configuration: CaptureModel.SessionConfiguration, revision: UInt64? = nil,
    start: Bool = false, isDryRun: Bool = false
  ) async throws(RPCError) -> SessionStatus {
    try await SessionsClient(connection).configure(
      ConfigureSessionRequest(
        session: name ?? "", configuration: CaptureWire.SessionConfiguration(configuration),
        revision: revision ?? 0, start: start, dryRun: isDryRun),
      options: callOptions
    ).model
  }

  /// Every preset, with the format that a camera would get, or the reason why it has none (`canSetSessionPreset`). A preset that only the node knows is
  /// left out.
  public func presets(
    of camera: String
  ) async throws(RPCError) -> [(
    preset: CaptureModel.SessionPreset, format: Result<CaptureModel.ActiveFormat, CaptureError>
  )] {
    try await SessionsClient(connection).presets(PresetsRequest(device: camera), options: callOptions).presets
      .compactMap { support in
        guard let preset = try? support.preset.model() else { return nil }
        guard let format = try? support.format?.model() else {
          return (preset, .failure(CaptureError(.invalidArgument, support.refusal)))
        }
        return (preset, .success(format))
      }
  }

  /// Starts the session's cameras, all or none. `startRunning`.
  @discardableResult
  public func start(session name: String) async throws(RPCError) -> SessionStatus {
    try await SessionsClient(connection).start(StartSessionRequest(session: name), options: callOptions).model
  }

  /// Stops the session's cameras. Subscribers wait for its next start. `stopRunning`.
  @discardableResult
  public func stop(session name: String) async throws(RPCError) -> SessionStatus {
    try await SessionsClient(connection).stop(StopSessionRequest(session: name), options: callOptions).model
  }

  /// Stops the session and removes it.
  public func close(session name: String) async throws(RPCError) {
    _ = try await SessionsClient(connection).close(CloseSessionRequest(session: name), options: callOptions)
  }

  /// Reports first the session's state, then its events, until it is closed.
  public func events(of session: String) async throws(RPCError) -> SessionEvents {
    SessionEvents(
      events: try await SessionsClient(connection).events(
        SessionEventsRequest(session: session), options: CallOptions(window: 64)))
  }
}

/// The events of a session, until it is closed, the reading task is cancelled, or the connection ends.
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
