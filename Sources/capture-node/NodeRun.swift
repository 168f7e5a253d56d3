import CaptureEngine
import CaptureModel
import CaptureNode
import CaptureSystem
import CaptureTransport
import CaptureWire
import Dispatch
import Glibc
import Synchronization

/// A node's life, from its settings to its end.
final class NodeRun: Sendable {
  private let settings: NodeSettings
  private let log: Log
  private let engine: CaptureEngine
  private let node: CameraNode
  private let store: any MemoryStore
  private let isEnding = Mutex(false)

  init(_ settings: NodeSettings) {
    self.settings = settings
    var log = Log()
    log.level = settings.logLevel
    self.log = log
    let notices = NoticeLog(log)
    store = Self.store(settings, log)
    engine = CaptureEngine(
      imaging: .standard, encoders: min(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))), store: store
    ) {
      notices($0)
    } software: {
      SoftwareThreeA(of: $0)
    }
    var configuration = NodeConfiguration()
    configuration.unixMode = settings.unixMode
    configuration.limits.maxConnections = settings.limits.connections
    configuration.limits.maxConnectionsPerAddress = settings.limits.connectionsPerAddress
    configuration.limits.maxCalls = settings.limits.callsPerConnection
    configuration.limits.packets = PacketLimits(
      envelope: settings.limits.envelopeBytes, chunk: settings.limits.chunkBytes)
    configuration.report = { notices($0) }
    configuration.reportsCalls = settings.logLevel >= .debug
    node = CameraNode(
      engine, configuration: configuration,
      extraServices: settings.offersTestService ? [WireTestService().handler] : [])
  }

  /// Where what clients set is kept. A node that can keep nothing serves all the same.
  private static func store(_ settings: NodeSettings, _ log: Log) -> any MemoryStore {
    guard let path = settings.state.path(environment: { getenv($0).map { String(cString: $0) } }) else {
      if settings.state == .usual {
        log(
          .warning,
          "what clients set holds until the node ends: neither --state nor $HOME says where to keep it")
      }
      return Forgetful()
    }
    do throws(StateFileError) {
      return try StateFile(path: path) { log($0, $1) }
    } catch {
      log(.warning, "\(error)")
      return Forgetful()
    }
  }

  func start() {
    Task {
      do {
        // Cameras are looked for while the sockets open; whoever reads "listening" finds both.
        await engine.setTorchLights(lamps())
        await engine.setPositions(
          Dictionary(uniqueKeysWithValues: settings.positions.map { (CameraID(rawValue: $0), $1) }))
        await engine.setGainISOs(
          Dictionary(uniqueKeysWithValues: settings.gainISO.map { (CameraID(rawValue: $0), $1) }))
        async let missing = CameraSpecs(settings.cameras).attach(to: engine)
        let addresses = try settings.listen.map { try node.listen(on: $0) }
        for reason in try await missing { log(.warning, reason) }
        Task { await reportCameras() }
        for address in addresses {
          // Whoever started the node may wait for this line, and only it names a port that the kernel chose.
          if let error = Log.write("listening on \(address)\n", to: STDOUT_FILENO) {
            log(.error, "cannot say on standard output that it listens on \(address): \(error)")
            exit(1)
          }
        }
        ServiceNotifier.send("READY=1")
        log(
          .info,
          "capture-node \(CameraNode.version) serves on \(addresses.map(\.description).joined(separator: ", "))"
        )
        ProgramCode.letGo()
      } catch {
        log(.error, "\(error)")
        // Sockets that it has made go with it.
        await node.drain(grace: .zero)
        exit(1)
      }
    }
  }

  /// The configuration's LEDs; those that are not there are told.
  private func lamps() -> [CameraID: any LightSource] {
    var lamps: [CameraID: any LightSource] = [:]
    for (camera, name) in settings.torchLEDs {
      do throws(CaptureError) {
        lamps[CameraID(rawValue: camera)] = try LEDLight(name)
      } catch {
        log(.warning, "'\(camera)' has no torch: \(error)")
      }
    }
    return lamps
  }

  /// The first signal drains, the second one ends at once.
  func signalled(_ number: Int32) {
    let isSecond = isEnding.withLock { isEnding in
      defer { isEnding = true }
      return isEnding
    }
    if isSecond { exit(1) }
    ServiceNotifier.send("STOPPING=1")
    log(.info, "\(number == SIGTERM ? "SIGTERM" : "SIGINT"): ending")
    Task {
      await node.drain(grace: settings.drainGrace)
      try? await store.flush()  // It has told of a failure.
      exit(0)
    }
  }

  private func reportCameras() async {
    let watch = await engine.watch()
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
      case .listed: break
      }
    }
  }
}
