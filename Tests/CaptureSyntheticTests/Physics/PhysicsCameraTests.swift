import CaptureControls
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureSynthetic

struct PhysicsCameraTests {
  static let size = FrameSize(width: 160, height: 120)
  let collector = Collector()

  private func camera(_ change: (inout PhysicsOptions) -> Void = { _ in }) -> PhysicsCamera {
    var options = PhysicsOptions()
    change(&options)
    return PhysicsCamera(.physics(options), index: 0) { _ in }
  }

  private func start(_ camera: PhysicsCamera, _ format: PixelFormat = .yuyv) async throws -> StreamFormat {
    try await camera.startStreaming(
      StreamRequest(pixelFormat: format, size: Self.size, interval: FrameInterval(rate: 50)), into: collector)
  }

  @Test(arguments: [(PixelFormat.yuyv, 38_400), (.grey, 19_200)])
  func streams(format: PixelFormat, bytes: Int) async throws {
    let camera = camera()
    #expect(try await start(camera, format).planes.map(\.bytes) == [bytes])
    let frame = try await collector.frame()
    #expect(frame.payload.count == bytes)
    #expect(camera.truth.frame(frame.sequence)?.sequence == frame.sequence)
    await camera.stopStreaming()
  }

  /// In real time as on the stage: the frame that the truth names, and none before it.
  @Test(arguments: [0, 3]) func settingsTakeEffectWhenTheTruthSays(delay: Int) async throws {
    let camera = camera {
      $0.automation = []
      $0.delay = delay
    }
    _ = try await start(camera)
    _ = try await collector.frame()
    for ticks in [30, 200, 30] as [Int64] {
      let before = MonotonicClock.now()
      try await camera.set([ControlAssignment(.exposureAbsolute, .integer(ticks))])
      let after = MonotonicClock.now()
      let effect = try #require(camera.truth.effect(of: .exposureAbsolute))
      #expect(effect.value == ticks && effect.time >= before && effect.time <= after)
      #expect(effect.effective == effect.latched + UInt64(delay))
      var reached = false
      while !reached {
        let frame = try await collector.frame()
        let duration = try #require(camera.truth.frame(frame.sequence)).exposureDuration
        #expect((duration == Double(ticks) * 1e-4) == (frame.sequence >= effect.effective))
        // The latched frame is the first that began after the setting.
        let begin = frame.timestamp.nanoseconds - 20_000_000
        #expect((begin >= effect.time) == (frame.sequence >= effect.latched))
        reached = frame.sequence >= effect.effective
      }
    }
    await camera.stopStreaming()
  }

  @Test func nothingIsMadeThatNobodyTakes() async throws {
    let camera = camera { $0.automation = [] }
    collector.setWanting(false)
    _ = try await start(camera)
    while collector.asked.count < 3 { await Task.yield() }
    try await camera.set([ControlAssignment(.exposureAbsolute, .integer(30))])
    let effect = try #require(camera.truth.effect(of: .exposureAbsolute))
    while try #require(collector.asked.last) < effect.effective + 2 { await Task.yield() }
    #expect(camera.counters.frames == 0)
    #expect(camera.truth.latest == nil)
    collector.setWanting(true)
    // What was set meanwhile holds all the same.
    let frame = try await collector.frame()
    #expect(camera.truth.frame(frame.sequence)?.exposureDuration == 0.003)
    await camera.stopStreaming()
  }

  @Test func timestampsMayBeThoseOfTheStart() async throws {
    let camera = camera { $0.timestamps = .startOfExposure }
    _ = try await start(camera)
    let frame = try await collector.frame()
    #expect(frame.timestamp.source == .startOfExposure)
    #expect(camera.truth.frame(frame.sequence)?.start == frame.timestamp.nanoseconds)
    await camera.stopStreaming()
  }

  @Test func setsAllOrNothing() async throws {
    let camera = camera { $0.automation = [] }
    let error = await #expect(throws: CaptureError.self) {
      try await camera.set([
        ControlAssignment(.gain, .integer(12)), ControlAssignment(.whiteBalanceTemperature, .integer(3001)),
      ])
    }
    #expect(error?.message.contains("2000 to 10000 in steps of 10") == true)
    #expect(try await camera.values(of: [.gain]) == [.integer(0)])
    #expect(camera.truth.effects.isEmpty)
  }

  @Test func observerHearsWhatSwitchesAndTemperaturesChange() async throws {
    let camera = camera()
    let (changes, continuation) = AsyncStream.makeStream(of: ControlChange.self)
    await camera.observeControls { continuation.yield($0) }
    try await camera.set([
      ControlAssignment(.autoWhiteBalance, .integer(0)),
      ControlAssignment(.whiteBalanceTemperature, .integer(3000)),
    ])
    continuation.finish()
    var heard: [ControlID: ControlChange] = [:]
    for await change in changes { heard[change.id] = change }
    #expect(Set(heard.keys) == [.whiteBalanceTemperature, .redBalance, .blueBalance])
    #expect(heard.values.allSatisfy { $0.flags == [] })
    #expect(heard[.whiteBalanceTemperature]?.value == nil)
    let values = try await camera.values(of: [.redBalance])
    #expect(heard[.redBalance]?.value == values[0])
  }

  @Test func comesBackAfterUnplugging() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: CameraProviderEvent.self)
    let provider = SyntheticProvider(cameras: [.standard, .physics()])
    await provider.start { continuation.yield($0) }
    let camera = try #require(provider.physicsCamera(1))
    #expect(provider.camera(1) == nil && provider.physicsCamera(0) == nil)
    #expect(camera.description.id.rawValue == "synthetic-physics-1")
    _ = try await start(camera)
    await camera.inject(.unplug(.milliseconds(50)))
    var seen: [String] = []
    for await event in events {
      switch event {
      case .appeared(let camera): seen.append("+\(camera.description.id)")
      case .vanished(let id): seen.append("-\(id)")
      }
      if seen.count == 4 { break }
    }
    #expect(seen == ["+synthetic-0", "+synthetic-physics-1", "-synthetic-physics-1", "+synthetic-physics-1"])
    #expect(provider.physicsCamera(1) !== camera)
    await provider.stop()
  }
}
