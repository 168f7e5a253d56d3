import CaptureControls
import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import CaptureWire
import Testing

@testable import CaptureNode

/// The modes that a timelapse locks: whenever the node ends, the camera gets them back.
@Suite(.timeLimit(.minutes(1))) struct LockedModesTests {
  /// A timelapse whose first photo was taken, and its camera, whose driver exposes by itself.
  private struct Rig {
    static let job = "timelapse-1"
    let camera = FakeCamera("a")
    let provider: FakeProvider
    let store = NodeJobsTests.Store()
    let engine = CaptureEngine(imaging: .standard)
    let leases = Leases()
    let jobs: NodeJobs
    let settings: CaptureWire.TimelapseSettings

    /// `change`: what the node's last run has kept of the job. `isLocked`: whether the exposure is locked when the node starts.
    /// `isThere`: whether the camera is there then. `stopped`: the name of another job, which was stopped.
    init(
      isLocked: Bool = false, isThere: Bool = true, stopped: String? = nil,
      _ change: (inout JobMemory) -> Void = { _ in }
    ) async {
      camera.state.withLock { state in
        state.controls = [
          ControlDescription(
            id: .autoExposure, name: "auto_exposure", label: "Auto Exposure", type: .menu, maximum: 3,
            defaultValue: 3,
            menu: [.init(index: 1, content: .name("Manual")), .init(index: 3, content: .name("Aperture"))]),
          ControlDescription(
            id: .exposureAbsolute, name: "exposure_time_absolute", label: "Exposure", type: .integer,
            minimum: 1, maximum: 2000, defaultValue: 100),
        ]
        state.owners = [.exposureAbsolute: .init(.autoExposure, manual: [1])]
        if isLocked { state.values[.autoExposure] = .integer(1) }
      }
      provider = FakeProvider(isThere ? [camera] : [])
      await engine.attach(provider)
      var settings = CaptureWire.TimelapseSettings()
      (settings.device, settings.intervalMs) = ("a", 604_800_000)
      self.settings = settings
      let now = MonotonicClock.now()
      var memory = JobMemory(
        settings: settings.encoded().hexDigits, startedUTC: UTCClock().reading(at: now).nanoseconds,
        started: Int64(now), boot: MonotonicClock.bootID)
      memory.tick = 0
      change(&memory)
      store.save(memory, job: Self.job)
      if let stopped {
        memory.state = .stopped
        store.save(memory, job: stopped)
      }
      jobs = NodeJobs(
        engine: engine, leases: leases, library: NodeLibrary(nil), store: store, limits: NodeLimits(),
        retryInterval: .milliseconds(5))
    }

    var isLocked: Bool { camera.state.withLock { $0.values[.autoExposure] == .integer(1) } }
    /// What a node that starts now would give back.
    var written: JobMemory.Modes? { store.written.jobs[Self.job]?.modes }
    var kept: JobMemory? { store.jobs[Self.job] }

    static let modes = JobMemory.Modes(exposure: "continuous", whiteBalance: nil)

    func lock() async -> String { await jobs.tryToLockModes(Self.job, settings) }

    func end() async {
      await jobs.end()
      await engine.shutDown()
    }
  }

  // MARK: They are locked

  @Test func theyAreOnTheDiskBeforeTheCameraIsTouched() async throws {
    let rig = await Rig()
    await rig.jobs.resume()
    rig.store.writes.hold()
    let locking = Task { await rig.lock() }
    await eventually("it waits for the disk") { rig.store.writes.waitingCount == 1 }
    #expect(rig.camera.state.withLock(\.assignments).isEmpty)
    rig.store.writes.endFirst(fails: false)
    #expect(await locking.value == "")
    #expect(rig.isLocked && rig.written?.exposure == "continuous")
    #expect(rig.kept?.modes == Rig.modes)
    await rig.end()
  }

  @Test func theyStayAsTheyAreWhereTheDiskIsFull() async throws {
    let rig = await Rig()
    await rig.jobs.resume()
    rig.store.writes.hold()
    let locking = Task { await rig.lock() }
    await eventually("it waits for the disk") { rig.store.writes.waitingCount == 1 }
    rig.store.writes.endFirst(fails: true)
    let told = await locking.value
    #expect(told.contains("not locked yet") && told.contains("the disk is full"), "\(told)")
    #expect(!rig.isLocked && rig.kept?.modes == nil)
    await rig.end()
  }

  @Test func whatIsRefusedIsNotGivenBack() async throws {
    let rig = await Rig()
    await rig.jobs.resume()
    let lease = try await rig.leases.acquire(
      LeaseRequest(camera: rig.camera.description.id, holder: "another"))
    #expect(await rig.lock().contains("not locked yet"))
    #expect(!rig.isLocked && rig.kept?.modes == nil)
    try rig.leases.release(lease.token)
    #expect(await rig.lock() == "")
    #expect(rig.isLocked && rig.kept?.modes?.exposure == "continuous")
    await rig.end()
  }

  /// The driver carries the call out, and does not answer.
  @Test func whatTheCameraMayHaveLockedIsGivenBack() async throws {
    let rig = await Rig()
    await rig.jobs.resume()
    rig.camera.state.withLock { $0.holdsSetting = true }
    let locking = Task { await rig.lock() }
    await eventually("they are being locked") { rig.camera.state.withLock { !$0.heldSetting.isEmpty } }
    rig.camera.state.withLock { state in
      state.brokenControls = [.autoExposure]
      state.values[.autoExposure] = .integer(1)
    }
    rig.camera.releaseSetting()
    #expect(await locking.value.contains("not locked yet"))
    #expect(rig.isLocked && rig.kept?.modes?.exposure == "continuous")
    #expect(rig.kept?.modes?.isToBeLocked == true)
    rig.camera.state.withLock { $0.brokenControls = [] }
    _ = try await rig.jobs.stop(Rig.job)
    #expect(!rig.isLocked && rig.kept?.modes == nil)
    await rig.end()
  }

  /// Between the disk and the camera, or between the camera and the disk.
  @Test(arguments: [false, true]) func aNodeThatEndedMeanwhileLocksThemAndGivesThemBack(
    _ isLocked: Bool
  ) async throws {
    let rig = await Rig(isLocked: isLocked) {
      $0.modes = .init(exposure: "continuous", whiteBalance: nil, isToBeLocked: true)
    }
    await rig.jobs.resume()
    #expect(await rig.lock() == "")
    #expect(rig.isLocked && rig.kept?.modes == Rig.modes)
    _ = try await rig.jobs.stop(Rig.job)
    #expect(!rig.isLocked && rig.kept?.modes == nil)
    await rig.end()
  }

  // MARK: They come back

  @Test(arguments: [JobMemory.State.done, .stopped]) func theyComeBackWhereTheNodeEndedBeforeThat(
    _ state: JobMemory.State
  ) async throws {
    let rig = await Rig(isLocked: true) {
      $0.state = state
      $0.modes = Rig.modes
    }
    await rig.jobs.resume()
    await eventually("they are back") { !rig.isLocked && rig.kept?.modes == nil }
    #expect(rig.kept?.state == state && rig.kept?.lastError == "")
    await rig.end()
  }

  /// As a USB camera that appears after the node's start. Only the running one is stopped by a client.
  @Test(arguments: [JobMemory.State.done, .stopped, .running]) func theyComeBackOnceTheCameraIsThere(
    _ state: JobMemory.State
  ) async throws {
    let rig = await Rig(isLocked: true, isThere: false) {
      $0.state = state
      $0.modes = Rig.modes
    }
    await rig.jobs.resume()
    if state == .running { _ = try await rig.jobs.stop(Rig.job) }
    await eventually("it is warned of") {
      await rig.jobs.warnings.contains { $0.contains("'a' gets its modes back") }
    }
    #expect(rig.kept?.modes == Rig.modes)
    rig.provider.plug(rig.camera)
    await eventually("they are back") { !rig.isLocked && rig.kept?.modes == nil }
    #expect(rig.kept?.lastError == "")
    #expect(await rig.jobs.warnings.isEmpty)
    await rig.end()
  }

  @Test func theyComeBackAfterTransfersThatWereLost() async throws {
    let rig = await Rig(isLocked: true) { $0.modes = Rig.modes }
    rig.camera.state.withLock { $0.brokenControls = [.autoExposure] }
    _ = try await rig.jobs.stop(Rig.job)
    #expect(await rig.jobs.warnings.contains { $0.contains("'a' gets its modes back") })
    rig.camera.state.withLock { $0.brokenControls = [] }
    await eventually("they are back") { !rig.isLocked && rig.kept?.modes == nil }
    await rig.end()
  }

  @Test func aJobThatIsRemovedGivesBackWhatItIsGivingBack() async throws {
    let rig = await Rig(isLocked: true) {
      $0.state = .done
      $0.modes = Rig.modes
    }
    rig.camera.state.withLock { $0.holdsSetting = true }
    await rig.jobs.resume()
    await eventually("they are being set") { rig.camera.state.withLock { !$0.heldSetting.isEmpty } }
    let task = try await rig.jobs.remove(Rig.job).task
    rig.camera.releaseSetting()
    await task?.value
    #expect(!rig.isLocked)
    await rig.end()
  }

  @Test func theyComeBackInTheNextRunWhereTheCameraStayedAway() async throws {
    let rig = await Rig(isLocked: true) {
      $0.state = .done
      $0.modes = Rig.modes
      $0.lastError = "\(NodeJobs.waitsForCamera): it was away"
    }
    await rig.jobs.resume()
    await eventually("they are back") { !rig.isLocked && rig.kept?.modes == nil }
    await rig.end()
  }

  @Test func aJobThatIsRemovedWaitsForItsCameraNoMore() async throws {
    let rig = await Rig(isLocked: true, isThere: false) {
      $0.state = .done
      $0.modes = Rig.modes
    }
    await rig.jobs.resume()
    await eventually("it waits") { await rig.jobs.warnings.count == 1 }
    let task = try await rig.jobs.remove(Rig.job).task
    await task?.value
    rig.provider.plug(rig.camera)
    await eventually("the camera is there") { rig.engine.cameras.count == 1 }
    #expect(rig.isLocked)
    await rig.end()
  }

  /// A person was told of these, and may have set them by now.
  @Test func whatWasToldToStayLockedIsLeftAlone() async throws {
    let rig = await Rig(isLocked: true) {
      $0.state = .done
      $0.modes = Rig.modes
      $0.lastError = "\(NodeJobs.staysLocked): it was away"
    }
    await rig.jobs.resume()
    #expect(try await rig.jobs.entry(Rig.job).task == nil)
    #expect(await rig.jobs.warnings.count == 1)
    await rig.end()
  }

  @Test func aNodeThatEndsWhileTheyComeBackLeavesThatToItsNextRun() async throws {
    let rig = await Rig(isLocked: true) {
      $0.state = .done
      $0.modes = Rig.modes
    }
    rig.camera.state.withLock { $0.holdsSetting = true }
    await rig.jobs.resume()
    await eventually("they are being set") { rig.camera.state.withLock { !$0.heldSetting.isEmpty } }
    await rig.jobs.end()
    rig.camera.state.withLock { $0.brokenControls = [.autoExposure] }
    rig.camera.releaseSetting()
    try await rig.jobs.entry(Rig.job).task?.value
    #expect(rig.isLocked && rig.kept?.modes?.exposure == "continuous" && rig.kept?.lastError == "")
    await rig.engine.shutDown()
  }

  /// A stop that waits for its turn at the disk keeps what the job has written down meanwhile.
  @Test func aJobThatIsStoppedForgetsNoneThatItLocksMeanwhile() async throws {
    let rig = await Rig(stopped: "timelapse-2")
    await rig.jobs.resume()
    rig.store.writes.hold()
    let removal = Task { _ = try await rig.jobs.remove("timelapse-2") }
    await eventually("the other waits for the disk") { rig.store.writes.waitingCount == 1 }
    let stop = Task { _ = try await rig.jobs.stop(Rig.job) }
    await eventually("its turn comes later") { await rig.jobs.storing.waitingCount == 1 }
    let locking = Task { await rig.lock() }
    await eventually("the modes wait for the disk") { rig.store.writes.waitingCount == 2 }
    rig.store.writes.endFirst(fails: false)
    try await removal.value
    await eventually("the stop waits for the disk") { rig.store.writes.waitingCount == 2 }
    #expect(rig.kept?.state == .stopped && rig.kept?.modes?.exposure == "continuous")
    rig.store.writes.endFirst(fails: false)
    #expect(await locking.value == "")
    #expect(rig.isLocked)
    rig.store.writes.endFirst(fails: false)
    await eventually("what else has changed waits for the disk") { rig.store.writes.waitingCount == 1 }
    rig.store.writes.endFirst(fails: false)
    try await stop.value
    #expect(!rig.isLocked && rig.kept?.state == .stopped && rig.kept?.modes == nil)
    await rig.end()
  }
}
