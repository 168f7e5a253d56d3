import CaptureEngine
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureNode

/// Jobs whose clients are gone, and what has stayed behind jobs.
@Suite(.timeLimit(.minutes(1))) struct NodeJobsTests {
  /// Keeps jobs and sessions, as long as the test.
  final class Store: MemoryStore, JobStore {
    private let kept = Mutex(NodeMemory())
    private let disk = Mutex(NodeMemory())
    let writes = HeldWrites()
    /// What a node that starts now would find.
    var written: NodeMemory { disk.withLock { $0 } }
    func memory(of camera: CameraID) -> CameraMemory { CameraMemory() }
    func save(_ memory: CameraMemory, of camera: CameraID) {}
    var sessions: [String: SessionMemory] { kept.withLock { $0.sessions } }
    func save(_ session: SessionMemory?, named name: String) { kept.withLock { $0.sessions[name] = session } }
    var jobs: [String: JobMemory] { kept.withLock { $0.jobs } }
    func save(_ job: JobMemory?, job name: String) { kept.withLock { $0.jobs[name] = job } }
    nonisolated(nonsending) func flush() async throws(CaptureError) {
      try await writes.write()
      let memory = kept.withLock { $0 }
      disk.withLock { $0 = memory }
    }
  }

  /// Once a week, of a camera that is not there.
  private static var settings: CaptureWire.TimelapseSettings {
    var settings = CaptureWire.TimelapseSettings()
    (settings.device, settings.intervalMs) = ("gone", 604_800_000)
    return settings
  }

  /// A job that runs, whose first photo was taken.
  private static func memory(
    of client: String?, _ settings: CaptureWire.TimelapseSettings = settings
  ) -> JobMemory {
    let now = Int64(MonotonicClock.now())
    var memory = JobMemory(
      settings: settings.encoded().hexDigits, startedUTC: UTCClock().reading(at: UInt64(now)).nanoseconds,
      started: now, boot: MonotonicClock.bootID)
    (memory.client, memory.tick) = (client, 0)
    return memory
  }

  // MARK: Clients that are gone

  @Test func aJobThatComesLateTakesNoneAlongThatIsToGoOn() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    let belongings = ClientBelongings(engine: engine, leases: leases, jobs: jobs)
    let first = try await jobs.start(Self.settings, for: "laptop").id
    #expect(await belongings.end(of: ["laptop"], jobs: .keep).isEmpty)
    let late = try await jobs.start(Self.settings, for: "laptop").id
    #expect(await belongings.end(of: ["laptop"], jobs: .stopUnkept).jobs == [late])
    #expect(store.jobs[first]?.state == .running && store.jobs[late]?.state == .stopped)
    // Whoever revokes it again without that ends it.
    #expect(await belongings.end(of: ["laptop"], jobs: .stop).jobs == [first])
    await jobs.end()
    await engine.shutDown()
  }

  // MARK: Jobs that are not there

  @Test func aJobThatIsNotThereIsRefusedNamingThoseThatAre() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    func refusal() async -> String? {
      do throws(CaptureError) {
        _ = try await jobs.entry("nope")
        return nil
      } catch {
        return error.message
      }
    }
    #expect(await refusal() == "there is no job 'nope'; this node has none")
    let id = try await jobs.start(Self.settings, for: nil).id
    #expect(await refusal() == "there is no job 'nope'; there are: '\(id)'")
    await jobs.end()
    await engine.shutDown()
  }

  // MARK: Jobs that are removed

  /// A watch that has not read for so long does not hear of the first.
  @Test func soManyRemovedJobsAreRememberedAndNoMore() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    let most = NodeLimit.removedJobs.usual
    var memory = Self.memory(of: nil)
    memory.state = .stopped
    for number in 0..<most + 4 { store.save(memory, job: "timelapse-\(number)") }
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    await jobs.resume()
    let before = await jobs.changes(after: nil, of: nil, among: .every).revision
    for number in 0..<most + 4 { _ = try await jobs.remove("timelapse-\(number)") }
    let removed = await jobs.changes(after: before, of: nil, among: .every).changes.compactMap { change in
      if case .removed(let id) = change { id } else { nil }
    }
    #expect(removed == (4..<most + 4).map { "timelapse-\($0)" })
    await jobs.end()
    await engine.shutDown()
  }

  @Test func whoeverIsToldThatAJobIsRemovedFindsItGone() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    var memory = Self.memory(of: nil)
    memory.state = .stopped
    store.save(memory, job: "timelapse-1")
    try await store.flush()
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    await jobs.resume()
    store.writes.hold()
    let first = Task { _ = try await jobs.remove("timelapse-1") }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    let second = Task { _ = try await jobs.remove("timelapse-1") }
    await eventually("its turn comes later") { await jobs.storing.waitingCount == 1 }
    store.writes.endFirst(fails: true)
    await #expect(throws: CaptureError.self) { try await first.value }
    await eventually("the second waits for the disk") { store.writes.waitingCount == 1 }
    #expect(store.written.jobs.count == 1)
    store.writes.endFirst(fails: false)
    try await second.value
    #expect(store.written.jobs.isEmpty)
    await jobs.end()
    await engine.shutDown()
  }

  @Test func noneBeginsOnANodeThatKeepsNothing() async throws {
    let reason = "/none/state.json: nothing can be kept there"
    let (engine, leases) = (CaptureEngine(imaging: .standard), Leases())
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil),
      store: DiscardingStore(StoreFailure(reason, since: 1)), limits: NodeLimits())
    let error = await #expect(throws: CaptureError.self) { _ = try await jobs.start(Self.settings, for: nil) }
    #expect(error?.code == .unavailable && error?.details?.reason == .stateNotWritable)
    #expect(
      error?.message
        == "the timelapse was not started: the node keeps nothing until this is put right and it is started again: \(reason)"
    )
    #expect(await jobs.all.isEmpty)
    await jobs.end()
    await engine.shutDown()
  }

  // MARK: Jobs that are started

  @Test func aJobIsToldOfOnceTheDiskHasIt() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    store.writes.hold()
    let refused = Task { try await jobs.start(Self.settings, for: nil).id }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    #expect(await jobs.all(among: .every).isEmpty)
    let first = await jobs.changes(after: nil, of: nil, among: .every)
    #expect(first.changes.isEmpty)
    store.writes.endFirst(fails: true)
    await #expect(throws: CaptureError.self) { try await refused.value }
    #expect(await jobs.changes(after: first.revision, of: nil, among: .every).changes.isEmpty)

    let kept = Task { try await jobs.start(Self.settings, for: nil).id }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    let second = await jobs.changes(after: first.revision, of: nil, among: .every)
    #expect(second.changes.isEmpty)
    store.writes.endFirst(fails: false)
    let id = try await kept.value
    #expect(await jobs.all(among: .every).map(\.id) == [id])
    #expect(await jobs.changes(after: second.revision, of: id, among: .every).changes.count == 1)
    await jobs.end()
    await engine.shutDown()
  }

  // MARK: Clients that come before the cameras are listed

  @Test func aJobThatAClientStartsBeforeTheOthersContinueHasOneTask() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    let id = try await jobs.start(Self.settings, for: nil).id
    store.writes.hold()
    let starting = Task { try await jobs.start(Self.settings, for: nil).id }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    let task = try await jobs.entry(id).task
    await jobs.resume()
    #expect(try await jobs.entry(id).task == task && task != nil)
    let waiting = await jobs.all.filter { !$0.entry.isStored }
    #expect(waiting.count == 1 && waiting.first?.entry.task == nil)
    store.writes.endFirst(fails: false)
    _ = try await starting.value
    await jobs.end()
    await engine.shutDown()
  }

  @Test func theJobsOfTheLastRunAreThereBeforeTheyContinue() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    for id in ["timelapse-1", "timelapse-2"] { store.save(Self.memory(of: nil), job: id) }
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    #expect(await Set(jobs.all(among: .every).map(\.id)) == ["timelapse-1", "timelapse-2"])
    #expect(try await jobs.stop("timelapse-1").memory.state == .stopped)
    await jobs.resume()
    #expect(try await jobs.entry("timelapse-1").task == nil)
    #expect(try await jobs.entry("timelapse-2").task != nil)
    await jobs.end()
    await engine.shutDown()
  }

  @Test func noneContinuesOnANodeThatEnds() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    store.save(Self.memory(of: nil), job: "timelapse-1")
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    await jobs.end()
    await jobs.resume()
    #expect(try await jobs.entry("timelapse-1").task == nil)
    await engine.shutDown()
  }

  @Test func oneThatIsBeingStartedWhileTheNodeEndsBeginsInTheNextRun() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    store.writes.hold()
    let starting = Task { try await jobs.start(Self.settings, for: nil).id }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    await jobs.end()
    store.writes.endFirst(fails: false)
    let id = try await starting.value
    #expect(try await jobs.entry(id).task == nil)
    #expect(store.written.jobs[id]?.state == .running && store.jobs[id]?.failed == 0)
    await engine.shutDown()
  }

  // MARK: The time of day

  @Test func theStartFollowsAClockThatIsSetUntilTheMachineStartsAgain() async throws {
    let (engine, store, leases) = (CaptureEngine(imaging: .standard), Store(), Leases())
    let second: Int64 = 1_000_000_000
    let memory = Self.memory(of: nil)
    let shifts: [(String, Int64)] = [("behind", -3), ("ahead", 1), ("rebooted", -3)]
    for (id, days) in shifts {
      var wrong = memory
      wrong.startedUTC += days * 86_400 * second
      if id == "rebooted" { wrong.boot = "an earlier one" }
      store.save(wrong, job: id)
    }
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    await jobs.resume()
    for id in ["behind", "ahead"] {
      await eventually("its start follows") {
        (store.jobs[id]!.startedUTC - memory.startedUTC).magnitude < second.magnitude
      }
      #expect(store.jobs[id]?.missed == 0)
    }
    await jobs.end()
    for entry in await jobs.all { await entry.entry.task?.value }
    #expect(store.jobs["rebooted"]?.startedUTC == memory.startedUTC - 3 * 86_400 * second)
    await engine.shutDown()
  }

  // MARK: What others may read

  @Test func whyAJobFailedNamesNoSessionThatTheCallerDoesNotSee() async throws {
    let store = Store()
    var memory = Self.memory(of: nil)
    memory.lastError =
      "gone is in the session 'theirs', whose format asks for more than the session 'closed' and the session 'mine'"
    store.save(memory, job: "timelapse-1")
    for (name, camera) in [("theirs", "other"), ("mine", "gone")] {
      store.save(
        SessionMemory(.init(inputs: [.init(camera: camera)]), isRunning: false, owner: "x"), named: name)
    }
    let (engine, leases) = (CaptureEngine(imaging: .standard, store: store), Leases())
    let jobs = NodeJobs(
      engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits())
    await jobs.resume()
    let endpoint = JobsEndpoint(engine: ServedEngine(engine, leases), library: NodeLibrary(nil), jobs: jobs)
    func lastError(_ scope: CameraScope) async throws -> String? {
      var caller = Caller.trusted
      caller.cameras = scope
      let context = CallContext(method: JobsMethods.list, peer: "test", connectionID: 1, caller: caller)
      return try await endpoint.list(ListJobsRequest(), context: context).jobs.first?.lastError
    }
    #expect(try await lastError(.every) == memory.lastError)
    #expect(
      try await lastError(CameraScope(["gone"]))
        == "gone is in another client's session, whose format asks for more than another client's session and the session 'mine'"
    )
    await jobs.end()
    await engine.shutDown()
  }

  // MARK: What has stayed

  @Test func aCameraThatKeepsItsModesLockedIsWarnedOf() async throws {
    let store = Store()
    var settings = Self.settings
    settings.count = 1
    var memory = Self.memory(of: nil, settings)
    memory.modes = .init(exposure: "continuous", whiteBalance: nil)
    store.save(memory, job: "timelapse-1")
    let fixture = try await Fixture(FakeProvider([]), jobs: store)
    #expect(try await fixture.about.status(StatusRequest(), options: bounded).warnings == [])
    await fixture.node.resumeJobs()
    await eventually("it is warned of") {
      let warnings = try? await fixture.about.status(StatusRequest(), options: bounded).warnings
      return warnings?.contains {
        $0.contains("timelapse-1") && $0.contains("stay locked") && $0.contains("'gone'")
      } == true
    }
    await fixture.stop()
  }
}
