import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

@Suite(.serialized) struct CalibrationTests {
  @Test(.timeLimit(.minutes(3)), arguments: [1, 2])
  func everyDelayIsFoundAndEverythingSetBack(_ seed: Int)
    async throws
  {
    var options = PhysicsOptions()
    options.seed = UInt64(seed)
    for (index, id) in (PhysicsRig.controls + PhysicsRig.switches).enumerated() {
      options.delays[id] = (index * seed) % 6
    }
    let camera = StagedCamera(
      options, size: FrameSize(width: 160, height: 120), settingTimes: SeededNumbers(seed: options.seed))
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    _ = try await device.set(
      [NamedAssignment(name: "zoom_absolute", value: .value(.integer(120)))], clamping: false)
    let before = try await PhysicsRig.values(device)
    let results = Mutex<[CalibrationProgress.Result]>([])
    try await device.calibrate([], through: FrameMeasurer(stepping: camera)) { progress in
      if let result = progress.result { results.withLock { $0.append(result) } }
    }
    let delays = await device.delays
    for id in PhysicsRig.controls {
      #expect(
        delays[id] == ControlDelay(frames: options.delay(of: id), provenance: .calibrated), "\(id)")
    }
    // A mode's end shows with a value instead of it, its beginning by itself; but focus looks a while before it moves the lens.
    for id in PhysicsRig.switches {
      let least = id == .autoFocus ? options.delay(of: .focusAbsolute) : 0
      #expect(
        delays[id] == ControlDelay(frames: max(options.delay(of: id), least), provenance: .calibrated),
        "\(id)")
    }
    let count = PhysicsRig.controls.count + PhysicsRig.switches.count
    #expect(results.withLock { $0.filter(\.isVisible).count } == count)
    #expect(results.withLock { $0.count { $0.delay != nil } } == count)
    #expect(try await PhysicsRig.values(device) == before)
    // What was tried is nothing that a client wants.
    #expect(await device.memory.controls.entries.map(\.name) == ["zoom_absolute"])
    #expect(await device.memory.delays.count == count)
    #expect(await device.status().format == nil)
    await engine.shutDown()
  }

  @Test(.timeLimit(.minutes(1))) func inTheDarkNothingIsMeasured() async throws {
    var options = PhysicsOptions()
    options.automation = []
    let camera = StagedCamera(
      options, size: FrameSize(width: 160, height: 120), settingTimes: SeededNumbers(seed: options.seed))
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    camera.changeWorld { $0.light = -20 }
    let before = try await PhysicsRig.values(device)
    await #expect(throws: CaptureError.self) {
      do {
        try await device.calibrate([], through: FrameMeasurer(stepping: camera)) { _ in }
      } catch let error as CaptureError {
        #expect(error.code == .failedPrecondition)
        #expect(error.message.contains("is black"))
        throw error
      }
    }
    #expect(try await PhysicsRig.values(device) == before)
    await engine.shutDown()
  }

  @Test(.timeLimit(.minutes(1))) func theNodesOwnModesAreNotForgotten() async throws {
    let camera = StagedCamera(
      PhysicsOptions(), size: FrameSize(width: 160, height: 120), settingTimes: SeededNumbers(seed: 1))
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    var change = SettingsChange()
    change.focus = .init(mode: .continuous, point: try NormalizedPoint(x: 0.2, y: 0.3))
    _ = try await device.set(change)
    let kept = try #require(await device.memory.software)
    // Its modes are ended, and then there is nothing to see.
    camera.changeWorld { $0.light = -20 }
    await #expect(throws: CaptureError.self) {
      try await device.calibrate([], through: FrameMeasurer(stepping: camera)) { _ in }
    }
    #expect(await device.memory.software == kept)
    await engine.shutDown()
  }

  @Test(.timeLimit(.minutes(1))) func aCalibrationThatIsCancelledSetsEverythingBack() async throws {
    let camera = StagedCamera(PhysicsOptions(), size: FrameSize(width: 160, height: 120))
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    let before = try await PhysicsRig.values(device)
    @Sendable func hasTried() -> Bool { camera.truth.effects.contains { $0.control == .zoomAbsolute } }
    // Then no frame comes, and it waits for one however fast the machine is.
    let sink = FrameMeasurer(longestSilence: .seconds(300)) { if !hasTried() { camera.step() } }
    let calibration = Task {
      try await device.calibrate(["zoom_absolute"], through: sink) { _ in }
    }
    await eventually("it tries") { hasTried() }
    calibration.cancel()
    await #expect(throws: CaptureError.self) { try await calibration.value }
    #expect(try await PhysicsRig.values(device) == before)
    #expect(await device.status().format == nil)
    await engine.shutDown()
  }

  /// Frames that came while a photo with flash had the camera, for one, would be taken for what comes after its steps.
  @Test(.timeLimit(.minutes(1))) func noFrameFromBeforeItsTurnIsJudged() async throws {
    let camera = StagedCamera(
      PhysicsOptions(), size: FrameSize(width: 160, height: 120), settingTimes: SeededNumbers(seed: 1))
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    let isInside = Atomic(false)
    let isOver = Atomic(false)
    let photo = Task {
      try await device.run { device in
        try await device.gates.flash.enter()
        defer { device.gates.flash.leave() }
        isInside.store(true, ordering: .relaxed)
        while !isOver.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(2)) }
      }
    }
    await eventually("the photo has the camera") { isInside.load(ordering: .relaxed) }
    let results = Mutex<[CalibrationProgress.Result]>([])
    let measurer = FrameMeasurer(stepping: camera)
    let calibration = Task {
      try await device.calibrate(["gain"], through: measurer) { progress in
        if let result = progress.result { results.withLock { $0.append(result) } }
      }
    }
    await eventually("the calibration waits for it") { await device.gates.flash.waitingCount == 1 }
    // More than a calibration looks at before it gives a control up. None is left out because others wait.
    for _ in 0..<300 {
      #expect(camera.step() != nil)
      await eventually("the frame was measured, or left out") { measurer.isIdle }
    }
    isOver.store(true, ordering: .relaxed)
    try await photo.value
    try await calibration.value
    #expect(results.withLock { $0.map(\.isVisible) } == [true])
    await engine.shutDown()
  }

  /// The next calibration waits until the disk has the delays of the one before, or has refused them.
  @Test(.timeLimit(.minutes(1))) func oneThatIsNotKeptTakesBackNothingOfTheNext() async throws {
    let camera = StagedCamera(
      PhysicsOptions(), size: FrameSize(width: 160, height: 120), settingTimes: SeededNumbers(seed: 1))
    let store = TestStore()
    let engine = CaptureEngine(imaging: .standard, store: store)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    @Sendable func calibrate(_ name: String) async -> CaptureError? {
      await refusal { try await device.calibrate([name], through: FrameMeasurer(stepping: camera)) { _ in } }
    }
    /// Measuring takes its time; the test has a limit.
    func isMeasured() async throws {
      while store.writes.waitingCount == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
    store.writes.hold()
    let first = Task { await calibrate("zoom_absolute") }
    try await isMeasured()
    let second = Task { await calibrate("gain") }
    await eventually("its turn comes later") { await device.gates.flash.waitingCount == 1 }
    store.writes.endFirst(fails: true)
    #expect(await first.value?.code == .unavailable)
    #expect(await device.delays[.zoomAbsolute].provenance == .assumed)
    try await isMeasured()
    store.writes.endFirst(fails: false)
    #expect(await second.value == nil)
    #expect(Set(store.memory(of: device.id).delays.keys) == [.gain])
    #expect(await device.delays[.gain].provenance == .calibrated)
    await engine.shutDown()
  }

  private static let brightness = ControlDescription(
    id: .brightness, name: "brightness", label: "Brightness", type: .integer, maximum: 100)

  private static func cameraWithBrightness(_ pixelFormat: PixelFormat) -> FakeCamera {
    let camera = FakeCamera(formats: [FakeCamera.format(pixelFormat, ["160x120": [30]])])
    camera.state.withLock { $0.controls = [brightness] }
    return camera
  }

  /// Frames that come and are all damaged are no frames to measure.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func aCameraWithoutFramesToMeasureEndsIt(givesDamagedFrames: Bool) async throws {
    let camera = Self.cameraWithBrightness(.mjpeg)
    let device = try await engine(camera, imaging: .standard).device("0")
    let emitting = Task {
      while givesDamagedFrames, !Task.isCancelled {
        camera.emit(bytes: [0xFF, 0xD8, 0, 0])
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    defer { emitting.cancel() }
    let sink = FrameMeasurer(longestSilence: .milliseconds(200))
    let error = await #expect(throws: CaptureError.self) {
      try await device.calibrate(["brightness"], through: sink) { _ in }
    }
    #expect(
      error?.code == .unavailable && error?.details?.reason == .notResponding, "\(String(describing: error))")
  }

  @Test(.timeLimit(.minutes(1))) func whatDoesNotShowAndWhatIsNotThereIsSaid() async throws {
    let camera = Self.cameraWithBrightness(.yuyv)
    let device = try await engine(camera, imaging: .standard).device("0")
    // Whatever is set, frames have nothing but noise.
    let emitting = Task {
      var dice = SeededNumbers(seed: 1)
      let noise = (0..<4).map { _ in
        (0..<160 * 120 * 2).map { _ in UInt8.random(in: 100...110, using: &dice) }
      }
      // In turn: by chance it could look like an effect.
      var frame = 0
      while !Task.isCancelled {
        camera.emit(bytes: noise[frame % noise.count])
        frame += 1
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
    defer { emitting.cancel() }
    let results = Mutex<[CalibrationProgress.Result]>([])
    let told = Mutex<[String]>([])
    await #expect(throws: CaptureError.self) {
      try await device.calibrate { progress in
        told.withLock { $0.append(progress.text) }
        if let result = progress.result { results.withLock { $0.append(result) } }
      }
    }
    // It says what it tries, and does not try for ever.
    let tries = told.withLock { $0 }
    #expect(tries.first == "brightness: setting it to 0 and 13" && tries.count <= 9, "\(tries)")
    let verdict = try #require(
      tries.last?.wholeMatch(of: #/brightness: no change seen in the picture \(([0-9]+) frames\): given up/#))
    #expect(try #require(Int(verdict.1)) <= 660)
    #expect(
      results.withLock { $0 } == [
        CalibrationProgress.Result(id: Self.brightness.id, name: "brightness", isVisible: false, delay: nil)
      ])
    #expect(await device.delays[Self.brightness.id].provenance == .assumed)
    await #expect(throws: CaptureError.self) { try await device.calibrate(["nonsense"]) { _ in } }
  }

  @Test(.timeLimit(.minutes(1))) func theStreamOfASessionIsMeasuredWhetherOrNotAnybodyLooks() async throws {
    let size = FrameSize(width: 160, height: 120)
    let camera = StagedCamera(PhysicsOptions(), size: size, settingTimes: SeededNumbers(seed: 1))
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    _ = try await engine.configureSession("door", .of("0", ActiveFormat(size: size)), owner: someone)
    let stopped = await refusal { try await device.calibrate(["gain"]) { _ in } }
    #expect(stopped?.code == .failedPrecondition)
    #expect(
      stopped?.message.hasSuffix(
        "is in the session 'door', which does not stream: start it first") == true)
    let session = try await engine.session("door")
    _ = try await session.start()
    try await device.calibrate(["gain"], through: FrameMeasurer(stepping: camera)) { _ in }
    #expect(await device.delays[.gain].provenance == .calibrated)
    #expect(await session.status().isRunning)
    await engine.shutDown()
  }
}
