public import CaptureModel
internal import CaptureWire

/// A session of a node (`AVCaptureSession`): cameras that run together, and the outputs at which their pictures come.
///
/// A value that names a session. Calls to one that the node does not have throw `notFound`, which lists the sessions.
public struct Session: Hashable, Sendable {
  /// The node that has the session.
  public let node: RemoteNode
  /// The name that the session's maker or else the node gave it.
  public let name: String

  init(_ name: String, of node: RemoteNode) { (self.node, self.name) = (node, name) }

  public static func == (a: Session, b: Session) -> Bool {
    a.name == b.name && (a.node.connection as AnyObject) === (b.node.connection as AnyObject)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// The present state.
  /// Throws `notFound`, which lists the sessions, where there is none of that name.
  public func status() async throws(CaptureError) -> SessionStatus {
    try await convertingErrors { () async throws(RPCError) in
      try await SessionsClient(node.connection).get(
        GetSessionRequest(session: name), options: node.callOptions
      ).model
    }
  }

  /// Starts the session's cameras, all or none (`startRunning`).
  /// Throws `notFound`, which lists the sessions, where there is none of that name; `failedPrecondition`, which names the camera, for a camera that
  /// somebody else has, `unavailable` for one that is unplugged, and `resourceExhausted` where the cameras cannot stream beside each other.
  @discardableResult
  public func start() async throws(CaptureError) -> SessionStatus {
    try await convertingErrors { () async throws(RPCError) in
      try await SessionsClient(node.connection).start(
        StartSessionRequest(session: name), options: node.callOptions
      ).model
    }
  }

  /// Stops the session's cameras (`stopRunning`). Subscribers wait for its next start.
  /// Throws `notFound`, which lists the sessions, where there is none of that name.
  @discardableResult
  public func stop() async throws(CaptureError) -> SessionStatus {
    try await convertingErrors { () async throws(RPCError) in
      try await SessionsClient(node.connection).stop(
        StopSessionRequest(session: name), options: node.callOptions
      ).model
    }
  }

  /// Stops the session and removes it.
  /// Throws `notFound`, which lists the sessions, where there is none of that name, and `unavailable` where the node cannot store the removal; the
  /// session stays then.
  public func close() async throws(CaptureError) {
    _ = try await convertingErrors { () async throws(RPCError) in
      try await SessionsClient(node.connection).close(
        CloseSessionRequest(session: name), options: node.callOptions)
    }
  }

  /// Reports first the session's state, then its events, until it is closed: the last event is `closed`. `AVCaptureSession`'s notifications.
  ///
  /// A camera that is unplugged is an event, and ends nothing (``ResumingEvents``). Where more than 64 events wait on the node for a slow reader, the
  /// session's state replaces them. Throws `notFound`, which lists the sessions, where there is none of that name, also where it was closed while the
  /// connection was away, as this connection's sessions without a name are; `unavailable` where it gets a camera that this client may not see; and
  /// `resourceExhausted` where too many clients watch.
  public func events() -> SessionEvents {
    SessionEvents(
      node.connection,
      open: { [name] connection throws(RPCError) in
        try await SessionsClient(connection).events(
          SessionEventsRequest(session: name), options: CallOptions(window: 64))
      }, read: { $0.model }, mayComeBack: { $0.code == .unavailable })
  }

  /// The session's only video output (`AVCaptureVideoDataOutput`).
  public var videoOutput: VideoOutput { VideoOutput(.session(name), of: node) }
  /// One of several video outputs.
  public func videoOutput(_ name: String) -> VideoOutput {
    VideoOutput(.session(self.name, output: name), of: node)
  }
  /// The session's only photo output (`AVCapturePhotoOutput`).
  public var photoOutput: PhotoOutput { PhotoOutput(.session(name), of: node) }
  /// One of several photo outputs.
  public func photoOutput(_ name: String) -> PhotoOutput {
    PhotoOutput(.session(self.name, output: name), of: node)
  }
}

/// The events of a session, until it is closed. After a lost connection its present state comes first.
public typealias SessionEvents = ResumingEvents<CaptureModel.SessionEvent>

extension RemoteNode {
  /// The session of this name. This makes no call.
  public func session(_ name: String) -> Session { Session(name, of: self) }

  /// Every session's state, by name.
  /// Throws `unavailable` where the node is not reached.
  public func sessions() async throws(CaptureError) -> [SessionStatus] {
    try await convertingErrors { () async throws(RPCError) in
      try await SessionsClient(connection).list(ListSessionsRequest(), options: callOptions).sessions.map(
        \.model)
    }
  }
}
