import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Testing

@testable import CaptureEngine

/// A light whose driver takes its time holds up nobody but those who wait for it.
@Suite(.timeLimit(.minutes(1))) struct SlowLightTests {
  private let permits = DispatchSemaphore(value: 0)
  private let camera = FakeCamera()
  private let lamp: TestLamp

  init() { lamp = TestLamp(permits: permits) }

  private var isHeld: Bool { lamp.state.withLock { $0.isHeld } }
  private var levels: [Double] { lamp.state.withLock { $0.levels.map(\.level) } }

  private static func torch(_ level: Double) -> SettingsChange {
    var change = SettingsChange()
    change.torch = .init(mode: level > 0 ? .on : .off, level: level > 0 ? level : nil)
    return change
  }

  @Test func aStreamBeginsBesideItsLightAndTheLastStateCounts() async throws {
    let engine = await engine(camera)
    let device = try engine.device("0")
    await engine.setUp(camera.description.id) { [lamp] in $0.inUseLight = lamp }
    await eventually("it is being switched off") { isHeld }
    for _ in 0..<3 {
      await device.unsubscribe(try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1"))
    }
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(isHeld && levels.isEmpty)
    for _ in 0..<10 { permits.signal() }
    await device.run { await $0.context.stream.settleInUseLight() }
    // Nothing piles up while it does not answer.
    #expect(levels == [0, 1])
    await device.unsubscribe(subscription)
    await device.run { await $0.context.stream.settleInUseLight() }
    #expect(levels == [0, 1, 0])
  }

  @Test func aTorchThatIsBeingSetHoldsUpNobodyElse() async throws {
    let device = try await engine(camera).device("0")
    await device.installLamp(lamp)
    let change = Task { try await device.set(Self.torch(0.5)) }
    await eventually("it is being lit") { isHeld }
    // Whoever asks for something else has an answer meanwhile.
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(await device.knownSettings()?.torch?.mode == .off)
    #expect(isHeld)
    let next = Task { try await device.set(Self.torch(0)) }
    await eventually("it is next") { await device.gates.settings.waitingCount > 0 }
    for _ in 0..<10 { permits.signal() }
    let lit = try await change.value
    #expect(lit.settings.torch?.mode == .on && lit.settings.torch?.level?.value == 0.5)
    #expect(try await next.value.settings.torch?.mode == .off)
    #expect(levels == [0.5, 0])
    await device.unsubscribe(subscription)
  }

  /// Frames have it from when the driver has it.
  @Test func theMomentOfAChangeIsThatOfTheDriver() async throws {
    let device = try await engine(camera).device("0")
    await device.installLamp(lamp)
    let asked = MonotonicClock.now()
    let setting = Task { try await device.run { try await $0.settings.lights.setLampLevel(0.5).moment } }
    await eventually("it is being lit") { isHeld }
    let answered = MonotonicClock.now()
    permits.signal()
    let moment = try await setting.value
    let set = lamp.state.withLock { $0.levels[0].time }
    #expect(asked <= moment.began && moment.began < answered && answered <= set && set <= moment.ended)
  }

  @Test func aChangeThatFailsLateLeavesTheLevelThatItHad() async throws {
    let device = try await engine(camera).device("0")
    await device.installLamp(lamp)
    permits.signal()
    _ = try await device.set(Self.torch(0.25))
    let change = Task { try await device.set(Self.torch(1)) }
    await eventually("it is being lit") { isHeld }
    lamp.state.withLock { $0.isBroken = true }
    permits.signal()
    await #expect(throws: CaptureError(.permissionDenied, "it may not be set")) { try await change.value }
    #expect(await device.run { $0.settings.lights.lampLevel } == 0.25)
    #expect(await device.knownSettings()?.torch?.level?.value == 0.25)
  }

  @Test func anAnswerThatComesLateSaysNothingOfWhatTheLampHas() async throws {
    let device = try await engine(camera).device("0")
    await device.installLamp(lamp)
    permits.signal()
    _ = try await device.set(Self.torch(0.25))
    // What was read when the lamp was installed.
    await device.run { device in
      let light = device.settings.lights.lamp(at: 1)?.light
      #expect(light != nil)
      if let light { device.settings.lampAnswered(1, of: light, with: 0) }
    }
    lamp.state.withLock { $0.isBroken = true }
    for _ in 0..<10 { permits.signal() }
    await #expect(throws: CaptureError.self) { try await device.set(Self.torch(1)) }
    #expect(await device.run { $0.settings.lights.lampLevel } == 0.25)
    #expect(await device.knownSettings()?.torch?.level?.value == 0.25)
  }

  @Test func aCameraThatComesBackMeanwhileTakesNothingFromTheChange() async throws {
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("0")
    await device.installLamp(lamp)
    permits.signal()
    _ = try await device.set(Self.torch(0.25))
    let change = Task { try await device.set(Self.torch(0.5)) }
    await eventually("it is being lit") { isHeld }
    provider.unplug(camera)
    await eventually("the camera has gone") { await device.camera == nil }
    provider.plug(camera)
    await eventually("the camera is back") { await device.camera != nil }
    for _ in 0..<10 { permits.signal() }
    _ = try await change.value
    await device.gates.settings.enterToCleanUp()
    await device.gates.settings.leave()
    #expect(levels == [0.25, 0.5] && lamp.state.withLock { $0.level } == 0.5)
    #expect(await device.memory.lamp?.level == 0.5)
    #expect(await device.run { $0.settings.lights.lampLevel } == 0.5)
  }

  @Test func watchersHearThatATorchWasNotLitAgain() async throws {
    let device = try await engine(camera).device("0")
    await device.installLamp(lamp)
    permits.signal()
    _ = try await device.set(Self.torch(0.25))
    let watch = try await device.watchSettings(["torch"])
    _ = try await watch.next()
    let other = TestLamp(permits: permits)
    await device.installLamp(other)
    await eventually("it is being lit") { other.state.withLock { $0.isHeld } }
    #expect(await device.knownSettings()?.torch?.isActive == true)
    other.state.withLock { $0.isBroken = true }
    permits.signal()
    let news = try await watch.next()
    #expect(news?.keys.contains(.setting(.torchMode)) == true)
    #expect(await device.knownSettings()?.torch?.isActive == false)
    watch.end()
  }

  /// A camera that comes back has the torch as clients left it, and what they set then comes behind that.
  @Test func whatIsRestoredComesBeforeWhatIsSetThen() async throws {
    let store = TestStore()
    func device(_ lamp: TestLamp) async throws -> Device {
      let engine = CaptureEngine(imaging: .fake(), store: store)
      await engine.setUp(camera.description.id) { $0.torchLight = lamp }
      await engine.attach(FakeProvider([FakeCamera()]))
      return try engine.device("0")
    }
    _ = try await device(TestLamp()).set(Self.torch(0.25))
    let next = try await device(lamp)
    await eventually("it is being restored") { isHeld }
    let change = Task { try await next.set(Self.torch(0.75)) }
    for _ in 0..<10 { permits.signal() }
    #expect(try await change.value.settings.torch?.level?.value == 0.75)
    #expect(levels == [0.25, 0.75])
  }
}
