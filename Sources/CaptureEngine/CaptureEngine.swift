import CaptureLoop
import CaptureModel
import CaptureSystem
import Synchronization

/// The cameras of a node: those that the backends find, each with an index and an identity that never change.
public actor CaptureEngine {
  private nonisolated let executor = QueueExecutor(label: "engine")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let imaging: Imaging
  private let workers: EncoderWorkers
  private let limits: NodeLimits
  let store: any MemoryStore
  /// Why nothing can be stored now (``MemoryStore/failure``); `nil`: the last write succeeded, or there was none.
  public nonisolated var storeFailure: StoreFailure? { store.failure }
  private let traffic = BusTraffic()
  private let makeSoftware: (@Sendable (Device) -> SoftwareThreeA)?
  private let report: @Sendable (CameraNotice) -> Void
  /// Only this actor changes the directory, and any thread reads it, so calls for a camera do not wait for the engine.
  private nonisolated let directory = Mutex(Directory())
  private struct Directory {
    var roster = CameraRoster()
    /// The devices by the index of their cameras.
    var devices: [Device] = []
    var providers: [any CameraProvider] = []

    // The list and the camera's device change in one step. So whoever finds a camera in the list can use it, and whoever has heard of the device that it
    // has gone finds it so in the list.

    mutating func appeared(_ camera: any Camera, _ description: CameraDescription, _ device: Device)
      -> CameraRoster.Entry
    {
      let entry = roster.appeared(description)
      if entry.index == devices.count { devices.append(device) }
      device.enqueue { $0.appeared(camera) }
      return entry
    }

    /// Returns `nil` for an unknown camera.
    mutating func vanished(_ id: CameraID) -> CameraRoster.Entry? {
      guard let entry = roster.vanished(id) else { return nil }
      devices[entry.index].enqueue { $0.vanished() }
      return entry
    }
  }
  private let (clientWatches, ownWatches) = (WatchList<DeviceWatch>(), WatchList<DeviceWatch>())
  /// The present cameras whose drivers may hold a call, by index.
  private var drivers: [Int: any Camera] = [:]
  /// The task that checks how drivers answer; `nil`: no camera with a driver has come yet.
  private var driverWatch: Task<Void, Never>?
  private var shutdown: CaptureError?
  /// What the configuration says of a camera.
  private var setup: @Sendable (CameraID) -> CameraSetup = { _ in CameraSetup() }
  var sessionTable = SessionTable()

  /// `encoders`: the number of threads that encode. `store`: the place where clients' settings are kept. `report` is called with the events of
  /// cameras, on any thread; it must not block. `limits`: the limits of what clients can make grow. `software` makes the part of a device that has
  /// its software modes (``SoftwareThreeA``); without it cameras have only their drivers' modes.
  package init(
    imaging: Imaging, encoders: Int = 2, store: any MemoryStore = DiscardingStore(),
    limits: NodeLimits = NodeLimits(),
    report: @escaping @Sendable (CameraNotice) -> Void = { _ in },
    software: (@Sendable (Device) -> SoftwareThreeA)? = nil
  ) {
    self.store = store
    self.imaging = imaging
    self.limits = limits
    makeSoftware = software
    self.report = report
    workers = EncoderWorkers(count: encoders, makeEncoder: imaging.makeEncoder)
    sessionTable.dormant = store.sessions
  }

  /// Adds a backend's cameras. Returns once the backend's first scan is done. Once the node shuts down, this does nothing: nobody would stop the backend.
  package func attach(_ provider: any CameraProvider) async {
    guard shutdown == nil else { return }
    directory.withLock { $0.providers.append(provider) }
    let executor = executor
    await provider.start { event in
      executor.queue.async { self.assumeIsolated { $0.handle(event) } }
    }
    // The queue takes events in order: when this runs, the events of the first scan have been handled.
    await withCheckedContinuation { continuation in executor.queue.async { continuation.resume() } }
    await restoreSessions()
  }

  /// Runs `body` on the engine's queue when its turn comes. On that queue cameras come and go, and sessions are configured.
  public nonisolated func inTurn(_ body: @escaping @Sendable () -> Void) {
    executor.queue.async(execute: body)
  }

  /// Ends all streams with `unavailable`, and stops looking for cameras.
  public func shutDown() async {
    let error = CaptureError.nodeDraining
    shutdown = error
    for watch in watches { watch.end() }
    let patience = endPatience
    _ = await Patience.wait(atMost: patience) { await self.endSessions(error) }
    driverWatch?.cancel()
    await withTaskGroup { group in
      for device in devices {
        group.addTask {
          _ = await Patience.wait(atMost: patience) { await device.shutDown(error) }
        }
      }
    }
    await withTaskGroup { group in
      for provider in directory.withLock({ $0.providers }) { group.addTask { await provider.stop() } }
    }
  }

  /// How long a shutdown waits for the sessions, and after that as long again for the cameras: a driver may block.
  var endPatience = Duration.seconds(1)

  /// The cameras that should be served and are not, each with the reason, for a person.
  public nonisolated var missing: [String] {
    directory.withLock { $0.providers }.flatMap(\.missing)
  }

  /// Throws `unavailable` once the node shuts down.
  func requireRunning() throws(CaptureError) {
    if let shutdown { throw shutdown }
  }

  /// Sets what the configuration says of each camera, including cameras that appear later. Positions and EDIDs take effect when a camera next
  /// appears.
  public func setUp(_ setup: @escaping @Sendable (CameraID) -> CameraSetup) {
    self.setup = setup
    for device in devices { device.enqueue { setup(device.id).apply(to: $0) } }
  }

  /// Tells the watchers of cameras whether photos are being taken of this camera now.
  private func photosChanged(of camera: CameraID) async {
    guard let index = roster.index(of: camera) else { return }
    let activity = await devices[index].run { $0.photos.activity }
    // Of two changes the later one may come here first, so the present state is read instead of the state at the change.
    let changed = directory.withLock { $0.roster.captures(camera, activity.isCapturing) }
    if let changed { notify(changed, .changed) }
  }

  /// The cameras by index, including unplugged ones.
  public nonisolated var cameras: [CameraRoster.Entry] { directory.withLock { $0.roster.entries } }

  nonisolated var roster: CameraRoster { directory.withLock { $0.roster } }
  private nonisolated var devices: [Device] { directory.withLock { $0.devices } }

  /// Finds a camera by its index, its identity, or a unique part of one. Throws `notFound` or `invalidArgument`, which list the cameras.
  ///
  /// `scope`: the cameras that the caller may see; any other one counts as one that does not exist.
  public nonisolated func device(
    _ reference: String, among scope: CameraScope = .every
  ) throws(CaptureError) -> Device {
    try directory.withLock { directory throws(CaptureError) in
      if scope.isEvery { return directory.devices[try directory.roster.place(reference)] }
      let found = try directory.roster.seen(by: scope).find(reference).description.id
      return directory.devices[directory.roster.index(of: found)!]
    }
  }

  /// Every camera with its device.
  public nonisolated var all: [(entry: CameraRoster.Entry, device: Device)] {
    directory.withLock { Array(zip($0.roster.entries, $0.devices)) }
  }

  /// Returns a client's watch. It reports which cameras are there, and then every change, until it is ended. Throws `resourceExhausted` if too many
  /// clients watch.
  public func watch() throws(CaptureError) -> DeviceWatch {
    try clientWatches.requireRoom(within: .deviceWatches, of: "the cameras of this node")
    return watch(in: clientWatches)
  }

  /// Watches the cameras for the node itself, as ``watch()`` does for a client. The node is no client, so no limit counts these watches.
  package func watchForNode() -> DeviceWatch { watch(in: ownWatches) }

  private func watch(in list: WatchList<DeviceWatch>) -> DeviceWatch {
    let watch = DeviceWatch(cameras, ended: list.ended)
    if shutdown == nil { list.add(watch) } else { watch.end() }
    return watch
  }

  private var watches: [DeviceWatch] { clientWatches.listening + ownWatches.listening }

  private func handle(_ event: CameraProviderEvent) {
    switch event {
    case .appeared(let found):
      guard shutdown == nil else { return }
      let camera: any Camera = found.hasDriver ? WatchedCamera(found) : found
      if found.hasDriver { watchDrivers() }
      var description = camera.description
      let setup = setup(description.id)
      if let position = setup.position { description.position = position }
      let known = roster.index(of: description.id).map { devices[$0] }
      let device = known ?? makeDevice(description.id)
      if known == nil {
        let software = makeSoftware?(device)
        let formatsChanged: @Sendable () -> Void = { [weak self, id = device.id] in
          Task { await self?.formatsChanged(of: id) }
        }
        device.enqueue { device in
          device.settings.attach(software)
          device.inputs.observeFormats(formatsChanged)
          setup.apply(to: device)
        }
      }
      let entry = directory.withLock { $0.appeared(camera, description, device) }
      drivers[entry.index] = found.hasDriver ? found : nil
      notify(entry, .appeared)
      if !sessionTable.dormant.isEmpty { Task { await restoreSessions() } }
    case .vanished(let id):
      guard let entry = directory.withLock({ $0.vanished(id) }) else { return }
      drivers[entry.index] = nil
      notify(entry, .vanished)
    }
  }

  /// Starts the task that checks how drivers answer, unless it has started already. It runs until the node ends, since cameras come and go.
  private func watchDrivers() {
    guard driverWatch == nil else { return }
    driverWatch = Task { [weak self] in
      while !Task.isCancelled {
        guard let pause = await self?.pauseBeforeCheck else { return }
        try? await Task.sleep(for: .nanoseconds(pause), tolerance: .milliseconds(100))
        await self?.checkDrivers()
      }
    }
  }

  /// Nanoseconds until drivers are checked again. A call that begins now is not slow before ``ResponseWatch/slow``, so a node at rest is woken seldom.
  var pauseBeforeCheck: UInt64 {
    all.contains { needsCheck($0.0) } ? ResponseWatch.period : ResponseWatch.slow
  }

  /// Whether a camera's driver may answer otherwise than it did: one that was responding and has no open call cannot.
  private func needsCheck(_ entry: CameraRoster.Entry) -> Bool {
    entry.isPresent && (entry.response != .responding || drivers[entry.index]?.unansweredSince != nil)
  }

  /// Checks how drivers answer, and reports changes.
  func checkDrivers() async {
    let now = MonotonicClock.now()
    for (entry, device) in all where needsCheck(entry) {
      let driver = drivers[entry.index]
      guard let found = await device.checkDriver(at: now),
        // The camera may have been plugged in anew meanwhile: what was found is of the one before.
        drivers[entry.index] === driver,
        let changed = directory.withLock({ $0.roster.responds(device.id, found) })
      else { continue }
      notify(changed, .changed)
    }
  }

  private func makeDevice(_ id: CameraID) -> Device {
    let activity = PhotoActivity { [weak self] in
      Task { await self?.photosChanged(of: id) }
    }
    return Device(
      id, imaging: imaging, workers: workers, limits: limits, traffic: traffic, store: store, report: report,
      activity: activity)
  }

  private func notify(_ entry: CameraRoster.Entry, _ kind: CameraRoster.Event.Kind) {
    for watch in watches { watch.notify(CameraRoster.Event(kind: kind, camera: entry)) }
  }
}
