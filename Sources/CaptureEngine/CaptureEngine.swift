import CaptureModel
import CaptureSystem
import Synchronization

/// The cameras of a node: what the backends find, each under an index and an identity that stay.
public actor CaptureEngine {
  private nonisolated let executor = QueueExecutor(label: "engine")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// Who may change which camera.
  public nonisolated let leases: LeaseDesk
  private let imaging: Imaging
  private let workers: EncoderWorkers
  private let limits: NodeLimits
  let store: any MemoryStore
  private let traffic = BusTraffic()
  private let software: (@Sendable (Device) -> any SoftwareControl)?
  private let report: @Sendable (CameraNotice) -> Void
  /// Changed on this actor, read by anyone: whoever calls a camera does not wait for the engine.
  private nonisolated let directory = Mutex(Directory())
  private struct Directory {
    var roster = CameraRoster()
    /// By their index there.
    var devices: [Device] = []
    var providers: [any CameraProvider] = []
  }
  private let watches = WatchList<DeviceWatch>()
  /// Present cameras whose drivers may hold a call, by index.
  private var drivers: [Int: any Camera] = [:]
  /// Looks how drivers answer, while there are any.
  private var driverWatch: Task<Void, Never>?
  private var shutdown: CaptureError?
  private var lamps: [CameraID: any LightSource] = [:]
  private var positions: [CameraID: CameraDescription.Position] = [:]
  private var gainISOs: [CameraID: ClosedRange<Double>] = [:]
  private var edids: [CameraID: [UInt8]] = [:]
  var sessionTable = SessionTable()

  /// `encoders`: threads for encoding. `store`: where what clients set is kept. `report` hears what happens to cameras, from any thread; it must not block.
  /// `limits`: what clients may make grow. `leases`: what those may who lease cameras. `software`: makes what works from a camera's pictures (``SoftwareThreeA``); without it cameras have their drivers' modes alone.
  package init(
    imaging: Imaging, encoders: Int = 2, store: any MemoryStore = Forgetful(),
    limits: NodeLimits = NodeLimits(), leases: LeaseLimits = LeaseLimits(),
    report: @escaping @Sendable (CameraNotice) -> Void = { _ in },
    software: (@Sendable (Device) -> any SoftwareControl)? = nil
  ) {
    self.store = store
    self.leases = LeaseDesk(limits: leases)
    self.imaging = imaging
    self.limits = limits
    self.software = software
    self.report = report
    workers = EncoderWorkers(count: encoders, makeEncoder: imaging.makeEncoder)
    sessionTable.dormant = store.sessions
  }

  /// Takes in a backend's cameras. Returns once its first look is done.
  public func attach(_ provider: any CameraProvider) async {
    directory.withLock { $0.providers.append(provider) }
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
    for watch in watches.listening { watch.end() }
    _ = await Patience.wait(atMost: Self.ending) { await self.endSessions(error) }
    driverWatch?.cancel()
    await withTaskGroup { group in
      for device in devices {
        group.addTask {
          _ = await Patience.wait(atMost: Self.ending) { await device.shutDown(error) }
        }
      }
    }
    await withTaskGroup { group in
      for provider in directory.withLock({ $0.providers }) { group.addTask { await provider.stop() } }
    }
  }

  /// How long the end waits for cameras, and how long for their sessions before: a driver may hold them.
  private static let ending = Duration.seconds(1)

  /// What should be served and is not, each with the reason, for a person.
  public nonisolated var missing: [String] {
    directory.withLock { $0.providers }.flatMap(\.missing)
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
      device.enqueue { $0.settings.setTorchLight(lamp) }
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
      device.enqueue { $0.settings.controls.setGainISO(range) }
    }
  }

  /// What cameras' inputs tell sources about themselves, in blocks of 128 bytes; of those that appear from now on.
  public func setEDIDs(_ edids: [CameraID: [UInt8]]) { self.edids = edids }

  /// By index; those that are unplugged included.
  public nonisolated var cameras: [CameraRoster.Entry] { directory.withLock { $0.roster.entries } }

  private nonisolated var devices: [Device] { directory.withLock { $0.devices } }

  /// A camera by index, identity, or unique part of one. Throws `notFound` or `invalidArgument`, naming those there are.
  public nonisolated func device(_ reference: String) throws(CaptureError) -> Device {
    try directory.withLock { directory throws(CaptureError) in
      directory.devices[try directory.roster.place(reference)]
    }
  }

  /// Every camera with its device.
  public nonisolated var all: [(entry: CameraRoster.Entry, device: Device)] {
    directory.withLock { Array(zip($0.roster.entries, $0.devices)) }
  }

  /// Cameras there are, and every change from now on, until the watch is let go.
  public func watch() -> DeviceWatch {
    let watch = DeviceWatch(cameras, ended: watches.ended)
    if shutdown == nil { watches.add(watch) } else { watch.end() }
    return watch
  }

  private func handle(_ event: CameraEvent) {
    switch event {
    case .appeared(let found):
      guard shutdown == nil else { return }
      let camera: any Camera = found.hasDriver ? WatchedCamera(found) : found
      if found.hasDriver { watchDrivers() }
      var description = camera.description
      if let position = positions[description.id] { description.position = position }
      let (entry, device, isNew) = add(description)
      drivers[entry.index] = found.hasDriver ? found : nil
      if isNew, let software {
        let control = software(device)
        device.enqueue { $0.settings.attach(control) }
      }
      if isNew, let lamp = lamps[device.id] { device.enqueue { $0.settings.setTorchLight(lamp) } }
      if isNew, let range = gainISOs[device.id] { device.enqueue { $0.settings.controls.setGainISO(range) } }
      if isNew, let edid = edids[device.id] { device.enqueue { $0.inputs.setEDID(edid) } }
      device.enqueue { $0.appeared(camera) }
      tell(entry, .appeared)
      if !sessionTable.dormant.isEmpty { Task { await restoreSessions() } }
    case .vanished(let id):
      guard let entry = directory.withLock({ $0.roster.vanished(id) }) else { return }
      drivers[entry.index] = nil
      devices[entry.index].enqueue { $0.vanished() }
      tell(entry, .vanished)
    }
  }

  /// Until the node ends: a camera that is held by its driver may go and come.
  private func watchDrivers() {
    guard driverWatch == nil else { return }
    driverWatch = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .nanoseconds(ResponseWatch.period), tolerance: .milliseconds(100))
        guard let self else { return }
        await lookAtDrivers()
      }
    }
  }

  /// Looks how drivers answer, and tells what is new.
  func lookAtDrivers(at now: UInt64 = MonotonicClock.now()) async {
    for (entry, device) in all where entry.isPresent {
      // One that answers and owes nothing is as it was: it is left in peace.
      guard entry.response != .responding || drivers[entry.index]?.owedSince != nil,
        let found = await device.lookAtDriver(at: now),
        let changed = directory.withLock({ $0.roster.responds(device.id, found) })
      else { continue }
      tell(changed, .changed)
    }
  }

  /// Its place, a new one for a camera never seen.
  private func add(_ camera: CameraDescription)
    -> (entry: CameraRoster.Entry, device: Device, isNew: Bool)
  {
    directory.withLock { directory in
      let entry = directory.roster.appeared(camera)
      let isNew = entry.index == directory.devices.count
      if isNew {
        directory.devices.append(
          Device(
            entry.description.id, imaging: imaging, workers: workers, limits: limits, traffic: traffic,
            store: store, report: report))
      }
      return (entry, directory.devices[entry.index], isNew)
    }
  }

  private func tell(_ entry: CameraRoster.Entry, _ kind: DeviceChange.Kind) {
    for watch in watches.listening { watch.tell(DeviceChange(kind: kind, camera: entry)) }
  }
}
