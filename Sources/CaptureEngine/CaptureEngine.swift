import CaptureModel
import CaptureSystem
import Synchronization

/// The cameras of a node: what the backends find, each under an index and an identity that stay.
public actor CaptureEngine {
  private nonisolated let executor = QueueExecutor(label: "engine")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// Who may change which camera.
  public nonisolated let leases = LeaseDesk()
  private let imaging: Imaging
  private let workers: EncoderWorkers
  let store: any MemoryStore
  private let traffic = BusTraffic()
  private let software: (@Sendable (DeviceController) -> any SoftwareControl)?
  private let report: @Sendable (CameraNotice) -> Void
  private var providers: [any CameraProvider] = []
  /// Changed on this actor, read by anyone: whoever calls a camera does not wait for the engine.
  private nonisolated let directory = Mutex(Directory())
  private struct Directory {
    var roster = CameraRoster()
    /// By their index there.
    var devices: [DeviceController] = []
  }
  private var watches: [DeviceWatch] = []
  private var shutdown: CaptureError?
  private var lamps: [CameraID: any LightSource] = [:]
  private var positions: [CameraID: CameraDescription.Position] = [:]
  private var gainISOs: [CameraID: ClosedRange<Double>] = [:]
  var sessionTable = SessionTable()

  /// `encoders`: threads for encoding. `store`: where what clients set is kept. `report` hears what happens to cameras, from any thread; it must not block.
  /// `software`: makes what works from a camera's pictures (``SoftwareThreeA``); without it cameras have their drivers' modes alone.
  public init(
    imaging: Imaging, encoders: Int = 2, store: any MemoryStore = Forgetful(),
    report: @escaping @Sendable (CameraNotice) -> Void = { _ in },
    software: (@Sendable (DeviceController) -> any SoftwareControl)? = nil
  ) {
    self.store = store
    self.imaging = imaging
    self.software = software
    self.report = report
    workers = EncoderWorkers(count: encoders)
    sessionTable.dormant = store.sessions
  }

  /// Takes in a backend's cameras. Returns once its first look is done.
  public func attach(_ provider: any CameraProvider) async {
    providers.append(provider)
    let executor = executor
    await provider.start { event in
      executor.queue.async { self.assumeIsolated { $0.handle(event) } }
    }
    // Events are taken on the queue in order: once this comes round, those of the first look have been.
    await withCheckedContinuation { continuation in executor.queue.async { continuation.resume() } }
    await restoreSessions()
  }

  /// Ends all streams with `unavailable`, and looks for cameras no more.
  public func shutDown() async {
    let error = CaptureError(.unavailable, "the node is shutting down")
    shutdown = error
    for watch in watches { watch.end() }
    await endSessions(error)
    for device in devices { await device.shutDown(error) }
    for provider in providers { await provider.stop() }
  }

  /// Throws `unavailable` once the node shuts down.
  func requireRunning() throws(CaptureError) {
    if let shutdown { throw shutdown }
  }

  /// Lamps that serve as the torch of cameras whose drivers have none.
  public func setTorchLights(_ lamps: [CameraID: any LightSource]) {
    self.lamps = lamps
    for device in devices {
      let lamp = lamps[device.id]
      device.enqueue { $0.setTorchLight(lamp) }
    }
  }

  /// Which way cameras look, instead of what their drivers say; of those that appear from now on.
  public func setPositions(_ positions: [CameraID: CameraDescription.Position]) {
    self.positions = positions
  }

  /// What the least and the most gain of cameras are as ISO, whose drivers have none.
  public func setGainISOs(_ ranges: [CameraID: ClosedRange<Double>]) {
    gainISOs = ranges
    for device in devices {
      let range = ranges[device.id]
      device.enqueue { $0.setGainISO(range) }
    }
  }

  /// By index; those that are unplugged included.
  public var cameras: [CameraRoster.Entry] { directory.withLock { $0.roster.entries } }

  private nonisolated var devices: [DeviceController] { directory.withLock { $0.devices } }

  /// A camera by index, identity, or unique part of one. Throws `notFound` or `invalidArgument`, naming those there are.
  public nonisolated func device(_ reference: String) throws(CaptureError) -> DeviceController {
    try directory.withLock { directory throws(CaptureError) in
      directory.devices[try directory.roster.place(reference)]
    }
  }

  /// Every camera with its controller.
  public var all: [(entry: CameraRoster.Entry, device: DeviceController)] {
    directory.withLock { Array(zip($0.roster.entries, $0.devices)) }
  }

  /// Cameras there are, and every change from now on, until the watch is let go.
  public func watch() -> DeviceWatch {
    watches.removeAll { $0.isOver }
    let watch = DeviceWatch(cameras)
    if shutdown == nil { watches.append(watch) } else { watch.end() }
    return watch
  }

  private func handle(_ event: CameraEvent) {
    switch event {
    case .appeared(let camera):
      guard shutdown == nil else { return }
      var description = camera.description
      if let position = positions[description.id] { description.position = position }
      let (entry, device, isNew) = add(description)
      if isNew, let software {
        let control = software(device)
        device.enqueue { $0.attach(control) }
      }
      if isNew, let lamp = lamps[device.id] { device.enqueue { $0.setTorchLight(lamp) } }
      if isNew, let range = gainISOs[device.id] { device.enqueue { $0.setGainISO(range) } }
      device.enqueue { $0.appeared(camera) }
      tell(entry, .appeared)
      if !sessionTable.dormant.isEmpty { Task { await restoreSessions() } }
    case .vanished(let id):
      guard let entry = directory.withLock({ $0.roster.vanished(id) }) else { return }
      devices[entry.index].enqueue { $0.vanished() }
      tell(entry, .vanished)
    }
  }

  /// Its place, a new one for a camera never seen.
  private func add(_ camera: CameraDescription)
    -> (entry: CameraRoster.Entry, device: DeviceController, isNew: Bool)
  {
    directory.withLock { directory in
      let entry = directory.roster.appeared(camera)
      let isNew = entry.index == directory.devices.count
      if isNew {
        directory.devices.append(
          DeviceController(
            entry.description.id, imaging: imaging, workers: workers, traffic: traffic, store: store,
            report: report))
      }
      return (entry, directory.devices[entry.index], isNew)
    }
  }

  private func tell(_ entry: CameraRoster.Entry, _ kind: DeviceChange.Kind) {
    watches.removeAll { $0.isOver }
    for watch in watches { watch.tell(DeviceChange(kind: kind, camera: entry)) }
  }
}

extension DeviceController {
  /// Runs `body` on the controller, in the order of these calls.
  nonisolated func enqueue(_ body: @escaping @Sendable (isolated DeviceController) -> Void) {
    executor.async { self.assumeIsolated(body) }
  }
}
