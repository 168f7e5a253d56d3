import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// The delays of what no control of the driver is: the sensor's crop, an LED.
@Suite(.timeLimit(.minutes(1))) struct PartsBesideControlsTests {
  private static let whole = PixelArea(x: 0, y: 0, width: 1280, height: 720)
  /// Frames between a change and the first frame that has it.
  private static let (cropDelay, lampDelay) = (2, 1)

  private let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["160x120": [30]])])
  private let lamp = TestLamp(steps: 4)

  init() { camera.state.withLock { $0.crop = SensorCrop(whole: Self.whole, area: Self.whole) } }

  /// Gives frames that are brighter by the light and by the zoom, each as late as it is, every 10 ms; those that a busy machine is too late for are
  /// lost. What a frame shows depends on the times at which something was set, not on when it is made.
  private func emitting() -> Task<Void, Never> {
    Task { [camera, lamp] in
      let (begin, interval) = (MonotonicClock.now(), UInt64(10_000_000))
      var next: UInt64 = 0
      while !Task.isCancelled {
        let slot = (MonotonicClock.now() - begin) / interval
        guard slot >= next else {
          try? await Task.sleep(for: .milliseconds(1))
          continue
        }
        func seen(_ delay: Int) -> UInt64 { begin + slot * interval - UInt64(delay) * interval }
        let zoom = camera.state.withLock { state in
          state.crops.last { $0.time <= seen(Self.cropDelay) }?.factor ?? 1
        }
        let level = lamp.state.withLock { state in
          state.levels.last { $0.time <= seen(Self.lampDelay) }?.level ?? 0
        }
        let value = UInt8(50 + 80 * level + 80 * (zoom - 1) / 7) + UInt8.random(in: 0...1)
        camera.emit(
          skipping: slot - next, timestamp: .at(begin + slot * interval),
          bytes: [UInt8](repeating: value, count: 160 * 120 * 2))
        next = slot + 1
      }
    }
  }

  @Test func theyAreMeasuredAndFramesAreNamedByThem() async throws {
    let device = try await engine(camera, imaging: .standard).device("0")
    await device.installLamp(lamp)
    let before = try await device.settingsDescription()
    #expect(before.controls.map(\.name) == ["sensor_crop", "torch_led"])
    #expect(
      before.controls.map(\.delay) == [
        ControlDelay(frames: 2, provenance: .assumed), ControlDelay(frames: 0, provenance: .assumed),
      ])
    #expect(!before.isCalibrated)

    let frames = emitting()
    defer { frames.cancel() }
    try await device.calibrate { _ in }
    #expect(camera.state.withLock { $0.crop?.area } == Self.whole && lamp.state.withLock { $0.level } == 0)
    let after = try await device.settingsDescription()
    #expect(
      after.controls.map(\.delay) == [
        ControlDelay(frames: Self.cropDelay, provenance: .calibrated),
        ControlDelay(frames: Self.lampDelay, provenance: .calibrated),
      ])
    #expect(after.isCalibrated)
    // What was tried is nothing that a client wants; what was found is kept.
    let memory = await device.memory
    #expect(memory.zoom == nil && memory.lamp == nil && Set(memory.delays.keys) == [.sensorCrop, .lamp])

    _ = try await device.subscribe(VideoRequest(encoding: .raw), sink: TestSink(), holder: "1")
    var change = SettingsChange()
    change.zoom = .init(factor: 2)
    change.torch = .init(mode: .on, level: 0.5)
    let set = try await device.set(change)
    #expect(try await device.awaitChange(set.change).provenance == .calibrated)
  }

  @Test func oneOfThemCanBeNamed() async throws {
    let device = try await engine(camera, imaging: .standard).device("0")
    await device.installLamp(lamp)
    var change = SettingsChange()
    change.torch = .init(mode: .on, level: 0.25)
    _ = try await device.set(change)
    let frames = emitting()
    defer { frames.cancel() }
    try await device.calibrate(["torch_led"]) { _ in }
    #expect(await device.delays[.lamp].provenance == .calibrated)
    #expect(await device.delays[.sensorCrop].provenance == .assumed)
    #expect(lamp.state.withLock { $0.level } == 0.25)
    // It was given no level that it does not have.
    #expect(lamp.state.withLock { $0.levels.allSatisfy { ($0.level * 4).rounded() == $0.level * 4 } })
  }

  @Test func aCropWithWhichTheDriverStaysHindersNoOtherMeasurement() async throws {
    camera.state.withLock { $0.cropsWhileStreaming = false }
    let device = try await engine(camera, imaging: .standard).device("0")
    await device.installLamp(lamp)
    var change = SettingsChange()
    change.zoom = .init(factor: 2)
    _ = try await device.set(change)
    let frames = emitting()
    defer { frames.cancel() }
    try await device.calibrate()
    #expect(await device.delays[.lamp].provenance == .calibrated)
    #expect(await device.delays[.sensorCrop].provenance == .assumed)
    #expect(await device.knownSettings()?.zoom?.factor.value == 2)
  }
}
