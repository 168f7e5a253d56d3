import CaptureEngine
import CaptureModel
import CaptureSystem
public import CaptureTransport
import CaptureWire

/// A node: the cameras of an engine, served over sockets.
public final class CameraNode: Sendable {
  private let engine: CaptureEngine
  private let server: NodeServer
  private let facts: NodeFacts
  private let library: NodeLibrary
  private let jobs: NodeJobs
  private let audit: NodeAudit?
  private let access: NodeAccess?

  /// The version of `capture-node`.
  public static let version = Release.version
  /// The name of the node, which is the host name of its machine.
  public static var name: String { SystemName().host }

  /// `extraServices` are served beside those for the node, devices, leases, sessions, video, photos, settings, the library and jobs. `store` keeps
  /// jobs over restarts. `leases`: the limits for leases. `access`: who may use the node; without it, everybody. `audit`: where calls are written
  /// down; without it, nowhere.
  public init(
    _ engine: CaptureEngine, configuration: NodeConfiguration = NodeConfiguration(),
    leases limits: LeaseLimits = LeaseLimits(), library: NodeLibrary = NodeLibrary(nil),
    store: any JobStore = DiscardingStore(),
    extraServices: [any ServiceHandler] = [], access: NodeAccess? = nil, audit: NodeAudit? = nil
  ) {
    self.engine = engine
    (self.library, self.access, self.audit) = (library, access, audit)
    let leases = Leases(limits: limits)
    jobs = NodeJobs(
      engine: engine, leases: leases, library: library, store: store, limits: configuration.limits)
    facts = NodeFacts(version: Self.version)
    var configuration = configuration
    configuration.agent = "capture-node/\(Self.version)"
    configuration.connectionClosed = { connection in
      leases.connectionClosed(connection)
      Task { await engine.connectionClosed(connection) }
    }
    let (served, viewers) = (ServedEngine(engine, leases), Viewers())
    let services: [any ServiceHandler] =
      [
        NodeServiceHandler(
          NodeEndpoint(engine: served, facts: facts, jobs: jobs, access: access, viewers: viewers)),
        DevicesServiceHandler(DevicesEndpoint(engine: served)),
        RevocableService(
          LeasesServiceHandler(LeasesEndpoint(engine: served)), of: [LeasesMethods.acquire], access),
        RevocableService(
          SessionsServiceHandler(SessionsEndpoint(engine: served)), of: [SessionsMethods.configure], access),
        VideoServiceHandler(VideoEndpoint(engine: served, viewers: viewers, access: access)),
        LeasedStreams(
          PhotosServiceHandler(
            PhotosEndpoint(
              engine: served,
              unread: UnreadBytes(
                .unreadPhotoBytes, bound: configuration.limits[.unreadPhotoBytes], of: "photos"),
              kept: RequestedPhotos(
                count: configuration.limits[.keptPhotos], bytes: configuration.limits[.keptPhotoBytes]),
              library: library, viewers: viewers)),
          of: [PhotosMethods.capture]),
        LibraryServiceHandler(LibraryEndpoint(node: library, limits: configuration.limits)),
        RevocableService(
          JobsServiceHandler(JobsEndpoint(engine: served, library: library, jobs: jobs)),
          of: [JobsMethods.start], access),
        LeasedStreams(
          SettingsServiceHandler(SettingsEndpoint(engine: served)), of: [SettingsMethods.calibrate]),
      ] + extraServices
      + (access.map { [AccessServiceHandler(AccessEndpoint(access: $0, engine: served))] } ?? [])
    configuration.accessGuard = access
    let hooked = services.map { service -> any ServiceHandler in
      let seen = SeenService(service, served)
      return audit.map { AuditedService(seen, $0) } ?? seen
    }
    server = NodeServer(services: hooked, configuration: configuration)
    access?.attach(
      to: server, cameras: { engine.cameras.map(\.description.id) },
      belongings: ClientBelongings(engine: engine, leases: leases, jobs: jobs))
    facts.attach(to: server, methods: services.flatMap(\.methods).map(\.name).sorted())
  }

  /// Listens on one more address. Returns the real one, since port 0 lets the kernel choose.
  public func listen(
    on address: SocketAddress, policy: ListenerPolicy = ListenerPolicy()
  ) throws -> SocketAddress {
    try server.listen(on: address, policy: policy)
  }

  /// Accepts connections once `listing` has returned, but after `patience` in any case: a driver may hang, and then `listing` goes on. Returns whether
  /// `listing` has returned in time. It is for a node whose configuration holds connections (``NodeConfiguration/holdsConnections``).
  public func acceptConnections(
    atMost patience: Duration, after listing: @escaping @Sendable () async -> Void
  ) async -> Bool {
    let isListed = await Patience.wait(atMost: patience, for: listing)
    server.acceptConnections()
    return isListed
  }

  /// Continues the jobs of the node's last run. Call it once the cameras are there.
  public func resumeJobs() async { await jobs.resume() }

  /// Runs `body` on a loop that serves clients, once every such loop and the engine have had a turn. If one of them is stuck, `body` never runs. A
  /// camera that hangs does not stop them, since the calls of its driver wait on threads of their own.
  public func probe(_ body: @escaping @Sendable () -> Void) {
    server.inTurnOfEachLoop { [server, engine] in
      engine.inTurn { server.inTurnOfEachLoop(body) }
    }
  }

  /// The identities of cameras whose drivers do not answer.
  public var hungCameras: [String] {
    engine.cameras.filter { $0.response == .notResponding }.map(\.description.id.rawValue)
  }

  /// Takes no new calls, ends streams with UNAVAILABLE, lets other calls finish within `grace`, and closes.
  public func drain(grace: Duration) async {
    await jobs.end()
    access?.endWaits()
    library.endWatches()
    async let drained: Void = server.drain(grace: grace)
    await engine.shutDown()
    await drained
    library.close()
    audit?.end()
  }
}
