import CaptureEngine
import CaptureLibrary
import CaptureModel
import CaptureNode
import CaptureSystem
import CaptureTestService
import CaptureTransport
import CaptureWire
import Dispatch
import Glibc
import Synchronization

/// Runs a node, from its settings to its end.
final class NodeRun: Sendable {
  private let settings: NodeSettings
  /// Reads the settings again.
  private let read: @Sendable () throws(ConfigurationError) -> NodeSettings
  private let log: Log
  private let engine: CaptureEngine
  private let node: CameraNode
  private let store: any NodeStore
  private let library: PhotoLibrary?
  private let access: NodeAccess
  private let isEnding = Mutex(false)

  init(_ settings: NodeSettings, read: @escaping @Sendable () throws(ConfigurationError) -> NodeSettings) {
    self.settings = settings
    self.read = read
    var log = Log()
    log.level = settings.logLevel
    self.log = log
    let notices = NoticeLog(log)
    store = Self.store(settings, log)
    engine = CaptureEngine(
      imaging: .standard, encoders: min(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))), store: store,
      limits: settings.limits
    ) {
      notices($0)
    } software: {
      SoftwareThreeA(of: $0)
    }
    var configuration = NodeConfiguration()
    configuration.unixMode = settings.unixMode
    configuration.holdsConnections = true
    configuration.limits = settings.limits
    configuration.report = { notices($0) }
    let heap = HeapReturn()
    configuration.workEnded = { heap.workEnded() }
    configuration.reportsCalls = settings.logLevel >= .debug
    library = Self.library(settings, log)
    access = NodeAccess(
      state: settings.state.path { getenv($0).map { String(cString: $0) } }
    ) { [log] in log($0, $1) }
    node = CameraNode(
      engine, configuration: configuration, leases: settings.leases, library: NodeLibrary(library),
      store: store,
      extraServices: settings.offersTestService ? [WireTestService().handler] : [], access: access,
      audit: settings.audit == .none ? nil : NodeAudit(settings.audit) { [log] in log.audit($0) })
  }

  /// The place for clients' settings. A node that can keep nothing serves all the same.
  private static func store(_ settings: NodeSettings, _ log: Log) -> any NodeStore {
    guard let path = settings.state.path(environment: { getenv($0).map { String(cString: $0) } }) else {
      guard settings.state == .usual else { return DiscardingStore() }
      return storeOfNothing(because: "neither --state nor $HOME says where to keep it", log)
    }
    do throws(StateFileError) {
      // If a person named the file, a missing folder is a mistake, and is not made.
      return try StateFile(
        path: path, makesFolder: settings.state == .usual,
        patience: settings.drainGrace + Self.endingTime + .milliseconds(500)
      ) { log($0, $1) }
    } catch {
      return storeOfNothing(because: error.description, log)
    }
  }

  /// Returns a store that keeps nothing, and logs the reason.
  private static func storeOfNothing(because reason: String, _ log: Log) -> any NodeStore {
    log(.warning, "\(reason); what clients set holds until the node ends")
    return DiscardingStore(StoreFailure(reason, since: MonotonicClock.now()))
  }

  func start() {
    Task {
      do {
        if let hint = settings.hint { log(.warning, hint) }
        let specs = try CameraSpecs(settings.cameras)
        await access.begin(with: settings, read: read)
        await engine.setUp(cameraSetup())
        await openLibrary()
        // A node that cannot listen opens no camera. Clients that connect meanwhile wait: none is told that there are no cameras while they are listed.
        let addresses = try listen()
        if let warning = access.socketWarning { log(.warning, warning) }
        await access.reopen()
        let isListed = await node.acceptConnections(atMost: Self.listingTime) { [self] in
          await attachCameras(specs)
        }
        if !isListed {
          log(
            .warning, "the cameras are not all listed after \(Self.listingTime): clients are served meanwhile"
          )
        }
        // A signal may have come meanwhile. Nobody is told then that the node serves.
        if isEnding.withLock({ $0 }) { return }
        Task { await reportCameras() }
        let error = await announce(addresses)
        // Whoever has ended the node may have closed its standard output, too.
        if isEnding.withLock({ $0 }) { return }
        if let error {
          log(.error, "cannot say on standard output where it listens: \(error)")
          fail()
        }
        ServiceNotifier.send("READY=1")
        ServiceWatchdog.start(node)
        log(
          .info,
          "capture-node \(CameraNode.version) serves on \(addresses.map(\.description).joined(separator: ", "))"
        )
      } catch {
        // A node that a signal ends does not start, and that is no failure.
        if isEnding.withLock({ $0 }) { return }
        log(.error, "\(error)")
        // Draining the node removes the sockets that it has made.
        await node.drain(grace: .zero)
        fail()
      }
    }
  }

  /// How long the node waits for its library's disk before it listens, and how long clients wait then for the first listing of the cameras, and for the
  /// sessions of the node's last run. A client waits 5 s for its connection.
  private static let listingTime = Duration.seconds(3)

  /// Returns once the library is open or cannot be opened now. A disk that does not answer delays the node no longer than a camera does.
  private func openLibrary() async {
    guard let library else { return }
    if await Patience.wait(atMost: Self.listingTime, for: { await library.start() }) { return }
    log(
      .warning, "the library is not open after \(Self.listingTime): clients are served meanwhile")
  }

  private func attachCameras(_ specs: CameraSpecs) async {
    let missing = await specs.attach(to: engine, bufferLimit: settings.limits[.bufferBytesPerCamera])
    for reason in missing { log(.warning, reason) }
    let need = DescriptorNeed(settings.limits, cameras: engine.cameras.count)
    if let warning = need.warning(limit: DescriptorLimit.current) { log(.warning, warning) }
    await node.resumeJobs()
  }

  /// Says on standard output where the node listens. The parent process may wait for these lines, and only they state a port that the kernel chose.
  /// This runs on a thread of its own, since maybe nobody reads the lines. The earlier lines of the log are written first, if their reader takes them
  /// in time.
  private func announce(_ addresses: [SocketAddress]) async -> Errno? {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "capture.announcement").async { [log] in
        log.flush(atMost: Self.flushTime)
        for address in addresses {
          if let error = Log.write("listening on \(address)\n", to: STDOUT_FILENO) {
            return continuation.resume(returning: error)
          }
        }
        continuation.resume(returning: nil)
      }
    }
  }

  private func fail() -> Never {
    log.flush(atMost: .seconds(1))
    exit(1)
  }

  /// Listens at the addresses of the settings, if the node was closed to the network only at those of this machine. If there are none, listens at the
  /// usual Unix socket, where the kernel reports who the caller is.
  private func listen() throws -> [SocketAddress] {
    var listeners = access.permittedListeners()
    if listeners.isEmpty {
      guard let socket = OwnNode.ownSocket() else {
        throw ConfigurationError(
          "no place for the node's socket: /run/capture-node cannot be written, and $XDG_RUNTIME_DIR names no folder that can; --listen unix:PATH names one"
        )
      }
      listeners = [ListenSetting(socket)]
    }
    do throws(AccessFileError) {
      if listeners.contains(where: \.takesTLS) { try access.prepareTLS() }
    } catch {
      if listeners.contains(where: \.requiresTLS) { throw error }
      log(settings.tls == nil ? .info : .error, "no TLS: \(error)")
    }
    return try listeners.map { try node.listen(on: $0.address, policy: $0.policy) }
  }

  /// Returns what the configuration says of each camera.
  private func cameraSetup() -> @Sendable (CameraID) -> CameraSetup {
    let torches = lights(settings.torchLEDs) { "'\($0)' has no torch" }
    let inUse = lights(settings.inUseLEDs) { "nothing shows when '\($0)' is in use" }
    let edids = edids()
    return { [settings] camera in
      let name = camera.rawValue
      var setup = CameraSetup()
      (setup.torchLight, setup.inUseLight, setup.edid) = (torches[camera], inUse[camera], edids[camera])
      (setup.position, setup.gainISO) = (settings.positions[name], settings.gainISO[name])
      setup.photos = PhotoOrigin(
        node: CameraNode.name, location: settings.location, lens: settings.lenses[name])
      setup.photos.sensor = settings.sensors[name] ?? SensorCalibration()
      return setup
    }
  }

  /// The LEDs of the configuration. Missing LEDs are reported. `consequence`: what a missing LED means for a camera.
  private func lights(
    _ names: [String: String], _ consequence: (String) -> String
  ) -> [CameraID: any LightSource] {
    var lights: [CameraID: any LightSource] = [:]
    for (camera, name) in names {
      do throws(CaptureError) {
        lights[CameraID(rawValue: camera)] = try LEDLight(name)
      } catch {
        log(.warning, "\(consequence(camera)): \(error)")
      }
    }
    return lights
  }

  /// The EDIDs of the configuration. Files that cannot be read are reported.
  private func edids() -> [CameraID: [UInt8]] {
    var edids: [CameraID: [UInt8]] = [:]
    for (camera, path) in settings.edids {
      do throws(CaptureError) {
        edids[CameraID(rawValue: camera)] = try EDIDFile.bytes(of: path)
      } catch {
        log(.warning, "the inputs of '\(camera)' keep their EDID: \(error.message)")
      }
    }
    return edids
  }

  /// The first signal drains the node; the second one ends it at once.
  func signalled(_ number: Int32) {
    let isSecond = isEnding.withLock { isEnding in
      defer { isEnding = true }
      return isEnding
    }
    if isSecond {
      log.flush(atMost: .milliseconds(50))
      _exit(1)
    }
    ServiceNotifier.send("STOPPING=1")
    log(.info, "\(Self.names[number] ?? "signal \(number)"): ending")
    Task {
      await end()
      // This does not wait for running threads, as `exit(3)` may.
      _exit(0)
    }
  }

  private static let names = [SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP"]

  /// Ends the node. The settings are written first, since nothing after that is certain: a driver may hold a camera for ever, and with it a thread
  /// and the process's files. So everything that another node needs is given up here, and not left to the process's end, and each wait has a time
  /// limit.
  private func end() async {
    let clock = ContinuousClock()
    let deadline = clock.now + settings.drainGrace + Self.endingTime
    // The store has reported a failure already.
    _ = await Patience.wait(atMost: .seconds(1)) { [store] in try? await store.flush() }
    let left = max(deadline - clock.now - Self.closingTime, .zero)
    let isDrained = await Patience.wait(atMost: left) { [node, grace = settings.drainGrace] in
      await node.drain(grace: min(grace, max(left - .milliseconds(600), .zero)))
    }
    if !isDrained { log(.warning, "something has not ended in time; it is left as it is") }
    // This writes changes that were made since the first flush.
    _ = await Patience.wait(atMost: Self.closingTime) { [store] in
      try? await store.flush()
      await store.close()
    }
    log.flush(atMost: max(min(deadline - clock.now, Self.flushTime), .milliseconds(50)))
  }

  /// The time for ending beside the grace period. With the usual grace period, ending takes less than 5 s in all.
  private static let endingTime = Duration.milliseconds(1_400)
  /// The part of ``endingTime`` that is kept for the last write and for closing the store.
  private static let closingTime = Duration.milliseconds(250)
  /// How long to wait for the last lines of the log, whose reader may take nothing.
  private static let flushTime = Duration.milliseconds(250)

  private func reportCameras() async {
    let watch = await engine.watchForNode()
    while let change = await watch.next() {
      guard let camera = change.camera else { continue }
      let name = "camera \(camera.index) '\(camera.description.id)' (\(camera.description.name))"
      switch change.kind {
      case .present, .appeared:
        if let reason = camera.description.unusableReason {
          log(.warning, "\(name) cannot be used: \(reason)")
        } else {
          log(.info, "\(name) is there")
        }
      case .vanished: log(.warning, "\(name) is gone")
      // The notices of the camera itself report this.
      case .listed, .changed: break
      }
    }
  }
}
