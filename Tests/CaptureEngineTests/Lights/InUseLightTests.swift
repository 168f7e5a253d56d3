import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

@Suite struct InUseLightTests {
  private let camera = FakeCamera()
  private let lamp = TestLamp()
  private let notices = Notices()

  private final class Notices: Sendable {
    let events = Mutex<[CameraNotice]>([])
  }

  private var level: Double { lamp.state.withLock { $0.level } }

  /// An engine with the camera and its light, which somebody has left on.
  private func rig() async throws -> (CaptureEngine, FakeProvider, Device) {
    let engine = CaptureEngine(imaging: .fake()) { [notices] notice in
      notices.events.withLock { $0.append(notice) }
    }
    let provider = FakeProvider([camera])
    lamp.state.withLock { $0.level = 1 }
    await engine.setUp(camera.description.id) { [lamp] in $0.inUseLight = lamp }
    // However busy the machine is.
    await engine.waitAtEnd(.seconds(20))
    await engine.attach(provider)
    let device = try engine.device("0")
    await eventually("nobody uses the camera") { level == 0 }
    return (engine, provider, device)
  }

  @Test func itIsOnWhileTheCameraStreams() async throws {
    let (_, _, device) = try await rig()
    let first = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await eventually("it is on") { level == 1 }
    let second = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "2")
    await device.unsubscribe(first)
    await device.run { await $0.context.stream.settleInUseLight() }
    #expect(level == 1)
    await device.unsubscribe(second)
    await eventually("it is off") { level == 0 }
  }

  @Test func itGoesOutWithTheCameraAndTheNode() async throws {
    let (engine, provider, device) = try await rig()
    let first = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await eventually("it is on") { level == 1 }
    provider.unplug(camera)
    await eventually("it goes out") { level == 0 }
    provider.plug(camera)
    await eventually("the camera is back") { await device.camera != nil }
    let second = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await eventually("it is on again") { level == 1 }
    await engine.shutDown()
    #expect(level == 0)
    withExtendedLifetime((first, second)) {}
  }

  @Test func itIsOnForACameraThatStreamsAlready() async throws {
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await engine.setUp(camera.description.id) { [lamp] in $0.inUseLight = lamp }
    await eventually("it is on") { level == 1 }
    await device.unsubscribe(subscription)
    await eventually("it is off") { level == 0 }
  }

  /// The camera works on; the log says once that nothing shows it.
  @Test func aLightThatFailsIsToldOnce() async throws {
    let (_, _, device) = try await rig()
    lamp.state.withLock { $0.isBroken = true }
    for _ in 0..<2 {
      let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
      await device.run { await $0.context.stream.settleInUseLight() }
      await device.unsubscribe(subscription)
      await device.run { await $0.context.stream.settleInUseLight() }
    }
    await eventually("it is told") {
      notices.events.withLock { $0.contains { $0.kind == .controlNotRestored } }
    }
    let told = notices.events.withLock { $0 }.filter { $0.kind == .controlNotRestored }
    #expect(told.map(\.text) == ["the in-use light could not be switched on: it may not be set"])
  }
}
