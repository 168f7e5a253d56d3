import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureWire

/// The jobs of a node: work that outlives the client that began it. Each running job has a task, and the memory of each job is kept in the node's
/// state file.
actor NodeJobs {
  /// A job, and the number of its latest change.
  struct Entry {
    var memory: JobMemory
    var settings: CaptureWire.TimelapseSettings
    var revision: UInt64
    var task: Task<Void, Never>?
    /// Whether the disk has the job. Clients are told of it from then on: until then its start may be refused.
    var isStored = true
  }

  let engine: CaptureEngine
  let leases: Leases
  let library: NodeLibrary
  let store: any JobStore
  private let bound: Int
  private let watchBound: Int
  /// After how long a job tries again to give its camera the modes back.
  let retryInterval: Duration
  private var entries: [String: Entry] = [:]
  /// The jobs that were removed last, for watches that have not reported their removal yet.
  private var removed: [(id: String, camera: String, revision: UInt64)] = []
  private var revision: UInt64 = 0
  private let watchers = ChangeSignals<Void>()
  /// Whether the node ends.
  private(set) var isEnding = false
  /// Changes that wait for the disk take turns, so that a change that fails takes back no other change.
  let storing = Gate(.storing)

  init(
    engine: CaptureEngine, leases: Leases, library: NodeLibrary, store: any JobStore, limits: NodeLimits,
    retryInterval: Duration = .seconds(10)
  ) {
    (self.engine, self.leases, self.library, self.store) = (engine, leases, library, store)
    self.retryInterval = retryInterval
    (bound, watchBound) = (limits[.jobs], limits[.jobWatches])
    // Clients see these from the start, and may stop them before they continue.
    var entries: [String: Entry] = [:]
    for (id, memory) in store.jobs {
      guard let bytes = memory.settings.bytesOfHex,
        let settings = try? TimelapseSettings(RawMessage(body: bytes))
      else { continue }
      entries[id] = Entry(memory: memory, settings: settings, revision: UInt64(entries.count) + 1)
    }
    (self.entries, revision) = (entries, UInt64(entries.count))
  }

  /// Continues the jobs of the node's last run. A job that has ended gives its camera the modes back that the last run did not give back.
  func resume() {
    guard !isEnding else { return }
    // A job that a client has started has its task already, or gets it once the disk has the job.
    for (id, entry) in entries where entry.task == nil && entry.isStored {
      if entry.memory.state == .running {
        run(id)
      } else if entry.memory.modes != nil, !entry.memory.leftModesLocked {
        entries[id]?.task = Task { [weak self] in await self?.restoreModes(id) }
      }
    }
  }

  /// Stops the tasks, since the node ends. Jobs that run continue when the node starts again.
  func end() {
    isEnding = true
    for entry in entries.values { entry.task?.cancel() }
    watchers.end()
  }

  // MARK: What clients ask for

  /// Stores a job of `client` or `user`, and then starts it, so that it survives a crash of the node. Throws `unavailable` if it cannot be stored;
  /// then there is no job.
  func start(
    _ settings: CaptureWire.TimelapseSettings, for client: String?, user: String? = nil
  ) async throws(CaptureError) -> (id: String, entry: Entry) {
    try requireRoom()
    let now = MonotonicClock.now()
    var memory = JobMemory(
      settings: settings.encoded().hexDigits, startedUTC: Self.clock.reading(at: now).nanoseconds,
      started: Int64(now), boot: MonotonicClock.bootID)
    (memory.client, memory.user) = (client, user)
    let id = "timelapse-" + (0..<4).map { _ in [UInt8.random(in: 0...255)].hexDigits }.joined()
    let entry = Entry(memory: memory, settings: settings, revision: revision, isStored: false)
    entries[id] = entry
    do throws(CaptureError) {
      try await storeDurably(id, failure: "the timelapse was not started") { _ in }
    } catch {
      entries[id] = nil
      store.save(nil, job: id)
      throw error
    }
    revision += 1
    entries[id]?.isStored = true
    entries[id]?.revision = revision
    watchers.signal()
    while entries.count > bound, let oldest = oldestEnded { forget(oldest) }
    // The job may have been stopped already.
    if entries[id]?.memory.state == .running { run(id) }
    return (id, entries[id] ?? entry)
  }

  /// Throws where too many jobs run. Jobs that have ended do not count, since they make room for new ones.
  private func requireRoom() throws(CaptureError) {
    guard entries.values.count(where: { $0.memory.state == .running }) >= bound else { return }
    throw NodeLimit.jobs.exceeded(bound: bound, "\(bound) jobs run already; stop one")
  }

  /// The oldest of the jobs that have ended, but first of those that owe their cameras no modes.
  private var oldestEnded: String? {
    let ended = entries.filter { $0.value.memory.state != .running }
    let settled = ended.filter { $0.value.memory.modes == nil }
    return (settled.isEmpty ? ended : settled)
      .min { $0.value.memory.startedUTC < $1.value.memory.startedUTC }?.key
  }

  /// The jobs, the latest first.
  var all: [(id: String, entry: Entry)] {
    entries.map { (id: $0.key, entry: $0.value) }.sorted {
      ($0.entry.memory.startedUTC, $0.id) > ($1.entry.memory.startedUTC, $1.id)
    }
  }

  /// The jobs whose cameras are in `scope`, the latest first, without those that are still being started.
  func all(among scope: CameraScope) -> [(id: String, entry: Entry)] {
    all.filter { $0.entry.isStored && scope.contains(camera: $0.entry.settings.device) }
  }

  /// Warnings of modes that jobs have left locked, for a person.
  var warnings: [String] {
    all.compactMap { id, entry in
      let (memory, camera) = (entry.memory, "'\(entry.settings.device)'")
      guard memory.modes != nil, memory.lastError.hasPrefix(Self.staysLocked) else { return nil }
      let remedy =
        memory.leftModesLocked
        ? "Set the modes of \(camera), then remove the job"
        : "\(camera) gets its modes back then; if it is not to get them, remove the job"
      return
        "the job \(id) has ended, and \(memory.lastError). \(remedy): 'capturectl timelapse stop --remove \(id)'"
    }
  }

  /// Throws `notFound`, also for a job of a camera outside `scope`.
  func entry(_ id: String, among scope: CameraScope = .every) throws(CaptureError) -> Entry {
    guard let entry = entries[id], scope.contains(camera: entry.settings.device) else {
      let possible = Array(all(among: scope).map(\.id).prefix(32))
      let names = possible.map { "'\($0)'" }.joined(separator: ", ")
      throw CaptureError(
        .notFound,
        "there is no job \(id.quoted); \(names.isEmpty ? "this node has none" : "there are: \(names)")",
        .init(.unknownName, field: "id", asked: .text(id), possible: possible))
    }
    return entry
  }

  /// Stops a job. The job's camera gets its modes back before this returns, if it is there. Throws `unavailable` if the stop cannot be stored; then
  /// the job goes on.
  func stop(_ id: String, among scope: CameraScope = .every) async throws(CaptureError) -> Entry {
    let entry = try entry(id, among: scope)
    guard entry.memory.state == .running else { return entry }
    try await storeDurably(id, failure: "the job \(id.quoted) was not stopped") { $0?.state = .stopped }
    change(id) { $0.state = .stopped }
    // The job's task may have begun while the stop was being stored.
    let task = entries[id]?.task
    task?.cancel()
    await task?.value
    // Also for a client that does not wait for it.
    await Task { await restoreModes(id) }.value
    // A photo that was under way may have changed the job meanwhile: that has to reach the disk, too.
    try? await store.flush()
    return try self.entry(id, among: scope)
  }

  /// Stops a job and forgets it. Throws as ``stop(_:)`` does.
  func remove(_ id: String, among scope: CameraScope = .every) async throws(CaptureError) -> Entry {
    let entry = try await stop(id, among: scope)
    try await storeDurably(id, failure: "the job \(id.quoted) was not removed") { $0 = nil }
    forget(id)
    return entry
  }

  /// Lets the running jobs of these clients continue when the node no longer knows the clients. Returns why that may not last, for a person.
  func letJobsContinue(of names: Set<String>) async -> [String] {
    let kept = all.filter { $0.entry.memory.runningFor.map(names.contains) == true }.map(\.id)
    for id in kept { change(id) { $0.outlivesClient = true } }
    do throws(CaptureError) { if !kept.isEmpty { try await store.flush() } } catch {
      return ["its jobs go on, but only until the node restarts: \(error.message)"]
    }
    return []
  }

  /// Stops the running jobs of clients that the node no longer knows. `sparesKept`: jobs for which ``letJobsContinue(of:)`` was called go on. Returns
  /// the ids of the stopped jobs, and why other jobs could not be stopped, for a person.
  func clientsRevoked(
    _ names: Set<String>, sparesKept: Bool
  ) async -> (stopped: [String], problems: [String]) {
    var (stopped, problems): ([String], [String]) = ([], [])
    for (id, entry) in all
    where entry.memory.runningFor.map(names.contains) == true && !(sparesKept && entry.memory.isKept) {
      do throws(CaptureError) {
        _ = try await stop(id)
        stopped.append(id)
      } catch  where error.code == .notFound {
        // Somebody else has removed the job meanwhile.
      } catch {
        problems.append(error.message)
      }
    }
    return (stopped, problems)
  }

  /// Stores a job as `body` makes it of the present one, and returns once it would survive a power cut; `nil`: removes the job. If that fails, stores
  /// the job as it is, and throws an error that begins with `failure`.
  private func storeDurably(_ id: String, failure: String, _ body: (inout JobMemory?) -> Void)
    async throws(CaptureError)
  {
    // The client that removes a job may have gone by now, but the job is removed all the same. The wait is only for the disk.
    await storing.enterToCleanUp()
    defer { storing.leave() }
    // The job may have changed, or have been removed, while this waited for its turn.
    var memory: JobMemory? = try entry(id).memory
    body(&memory)
    store.save(memory, job: id)
    do throws(CaptureError) { try await store.flush() } catch {
      save(id)
      throw error.prefixed(failure)
    }
  }

  private func forget(_ id: String) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    // A task that gives the camera its modes back right now is let end.
    if entry.memory.lastError.hasPrefix(Self.waitsForCamera) { entry.task?.cancel() }
    store.save(nil, job: id)
    revision += 1
    removed.append((id, entry.settings.device, revision))
    if removed.count > NodeLimit.removedJobs.usual { removed.removeFirst() }
    watchers.signal()
  }

  // MARK: Changes

  /// Changes a job's memory, stores it, and wakes the watches.
  func change(_ id: String, _ body: (inout JobMemory) -> Void) {
    guard var entry = entries[id] else { return }
    body(&entry.memory)
    revision += 1
    entry.revision = revision
    entries[id] = entry
    save(id)
    watchers.signal()
  }

  private func save(_ id: String) { store.save(entries[id]?.memory, job: id) }

  private func run(_ id: String) {
    // The node may have begun to end while a new job was being stored. The job begins in the next run.
    guard !isEnding else { return }
    entries[id]?.task = Task { [weak self] in await self?.timelapse(id) }
  }

  /// Gives the camera of a job that has ended its modes back once it takes them, until the job is removed.
  func restoreModesLater(_ id: String) {
    entries[id]?.task = Task { [weak self] in await self?.retryRestoringModes(id) }
  }

  static let clock = UTCClock()

  // MARK: Watching

  enum Change: Sendable {
    case present(String, JobMemory, CaptureWire.TimelapseSettings)
    case changed(String, JobMemory, CaptureWire.TimelapseSettings)
    case removed(String)
  }

  /// Returns a stream that signals at once and after each change, until the node ends.
  func signals() throws(CaptureError) -> AsyncStream<Void> {
    guard let signals = watchers.signals(of: (), atMost: watchBound) else {
      throw NodeLimit.jobWatches.exceeded(bound: watchBound, "\(watchBound) clients watch jobs already")
    }
    return signals
  }

  /// The changes of one job, or of all jobs, after the revision `last`; `last` is `nil`: every job is reported as present.
  func changes(
    after last: UInt64?, of id: String?, among scope: CameraScope
  ) -> (changes: [Change], revision: UInt64) {
    var changes: [(UInt64, Change)] = []
    for (name, entry) in entries
    where (id == nil || id == name) && entry.isStored && entry.revision > last ?? 0
      && scope.contains(camera: entry.settings.device)
    {
      let change =
        last == nil
        ? Change.present(name, entry.memory, entry.settings) : .changed(name, entry.memory, entry.settings)
      changes.append((entry.revision, change))
    }
    if let last {
      for gone in removed
      where (id == nil || id == gone.id) && gone.revision > last && scope.contains(camera: gone.camera) {
        changes.append((gone.revision, .removed(gone.id)))
      }
    }
    return (changes.sorted { $0.0 < $1.0 }.map(\.1), revision)
  }
}

extension JobMemory {
  /// The client that began the job, while the job runs.
  fileprivate var runningFor: String? { state == .running ? client : nil }
  fileprivate var isKept: Bool { outlivesClient == true }
  /// Whether the job's camera has refused to take its modes back, so that a person has to set them.
  fileprivate var leftModesLocked: Bool { modes != nil && lastError.hasPrefix("\(NodeJobs.staysLocked): ") }
}
