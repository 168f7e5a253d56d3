import CaptureEngine
import CaptureSystem
import CaptureTransport
import CaptureWire

/// A node: the cameras of an engine, served over sockets.
public final class CameraNode: Sendable {
  private let engine: CaptureEngine
  private let server: NodeServer
  private let facts: NodeFacts

  /// The version of `capture-node`.
  public static let version = Release.version
  /// The name of the node: its machine's.
  public static var name: String { SystemName().host }

  /// `extraServices` are served beside those for the node, devices, leases, sessions, video, photos and settings.
  public init(
    _ engine: CaptureEngine, configuration: NodeConfiguration = NodeConfiguration(),
    extraServices: [any ServiceHandler] = []
  ) {
    self.engine = engine
    facts = NodeFacts(version: Self.version)
    var configuration = configuration
    configuration.agent = "capture-node/\(Self.version)"
    configuration.connectionClosed = { connection in
      engine.leases.connectionClosed(connection)
      Task { await engine.connectionClosed(connection) }
    }
    let services: [any ServiceHandler] =
      [
        NodeServiceHandler(NodeEndpoint(engine: engine, facts: facts)),
        DevicesServiceHandler(DevicesEndpoint(engine: engine)),
        LeasesServiceHandler(LeasesEndpoint(engine: engine)),
        SessionsServiceHandler(SessionsEndpoint(engine: engine)),
        VideoServiceHandler(VideoEndpoint(engine: engine)),
        PhotosServiceHandler(
          PhotosEndpoint(
            engine: engine, unread: UnreadPhotos(bound: configuration.limits[.unreadPhotoBytes]))),
        LeasedStreams(
          SettingsServiceHandler(SettingsEndpoint(engine: engine)), of: [SettingsMethods.calibrate]),
      ] + extraServices
    server = NodeServer(services: services, configuration: configuration)
    facts.served(by: server, methods: services.flatMap(\.methods).map(\.name).sorted())
  }

  /// Listens on one more address. Returns the real one, since port 0 lets the kernel choose.
  public func listen(on address: SocketAddress) throws -> SocketAddress {
    let real = try server.listen(on: address)
    facts.listens(on: real)
    return real
  }

  /// Takes no new calls, ends streams with UNAVAILABLE, lets other calls finish within `grace`, and closes.
  public func drain(grace: Duration) async {
    async let drained: Void = server.drain(grace: grace)
    await engine.shutDown()
    await drained
  }
}
