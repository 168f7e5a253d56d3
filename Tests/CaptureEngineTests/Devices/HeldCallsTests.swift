import CaptureControls
import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// Calls that need a camera, of every kind, while the camera's driver holds every call.
@Suite(.timeLimit(.minutes(1))) struct HeldCallsTests {
  struct Call: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (CaptureEngine, Device) async throws -> Void

    init(_ name: String, _ make: @escaping @Sendable (CaptureEngine, Device) async throws -> Void) {
      (testDescription, self.make) = (name, make)
    }
  }

  static let calls = [
    Call("photo") { _ = try await $1.capturePhoto(.rawVGA, requested: 0) { _ in } },
    Call("settings get") { _ = try await $1.settings() },
    Call("settings set") { _ = try await $1.set(brighter) },
    Call("settings describe") { _ = try await $1.settingsDescription() },
    Call("settings watch") { _ = try await $1.watchSettings([]) },
    Call("settings reset") { _ = try await $1.resetSettings() },
    Call("controls list") { _ = try await $1.controls() },
    Call("controls get") { _ = try await $1.readings(of: ["gain"]) },
    Call("controls set") {
      _ = try await $1.set([NamedAssignment(name: "gain", value: .value(.integer(3)))], clamping: false)
    },
    Call("inputs list") { _ = try await $1.listInputs() },
    Call("inputs select") { _ = try await $1.selectInput("TV 0") },
    Call("formats") { _ = try await $1.formats() },
    Call("profile save") { _ = try await $1.saveProfile("new", replaces: true) },
    Call("profile load") { _ = try await $1.loadProfile("old") },
    Call("calibrate") { try await $1.calibrate() },
    Call(sessionStart) { engine, _ in _ = try await engine.session("door").start() },
  ]
  private static let sessionStart = "session start"
  /// The node may know all of the answer by the time that the driver is taken for stuck.
  private static let answeredFromMemory: Set = ["settings describe", "formats"]
  private static let brighter: SettingsChange = {
    var change = SettingsChange()
    change.exposure.gain = 5
    return change
  }()

  private let camera = FakeCamera("stuck", hasDriver: true)

  /// With a profile "old", and with a session "door" where a call needs it. `isKnown`: the node knows the camera's controls.
  private func prepare(for call: Call, isKnown: Bool) async throws -> (CaptureEngine, Device) {
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(id: .gain, name: "gain", label: "Gain", type: .integer, maximum: 100)
      ]
      state.inputs = [CameraInput(index: 0, name: "TV 0", kind: .tuner), InputStateTests.hdmi()]
    }
    let engine = await engine(camera)
    let device = try engine.device("stuck")
    _ = try await device.listInputs()
    _ = try await device.saveProfile("old", replaces: false)
    if call.testDescription == Self.sessionStart {
      _ = try await engine.configureSession("door", .of("stuck", .rawVGA), owner: someone)
    }
    if !isKnown { await device.run { $0.settings.controls.forget() } }
    return (engine, device)
  }

  @Test(arguments: calls, [true, false])
  func isOverWithinASecondOnceTheDriverIsTakenForStuck(call: Call, isKnown: Bool) async throws {
    let (engine, device) = try await prepare(for: call, isKnown: isKnown)
    camera.holdEverything()
    defer { camera.releaseEverything() }
    let waiting = CallBeside { try await call.make(engine, device) }
    await eventually("it waits for the driver, or is answered") { waiting.end != nil || camera.isHolding }
    let mayBeAnswered = waiting.end != nil || Self.answeredFromMemory.contains(call.testDescription)
    camera.fallSilent()
    await engine.checkDrivers()
    let first = await end(of: waiting)
    if first?.error != nil || !mayBeAnswered { expectUnavailable(first) }
    expectUnavailable(await end(of: CallBeside { try await call.make(engine, device) }))
    #expect(await device.profiles().map(\.name) == ["old"])
  }

  private func end(of call: CallBeside) async -> CallBeside.End? {
    await eventually("it ends within a second", looks: 500) { call.end != nil }
    return call.end
  }

  private func expectUnavailable(_ end: CallBeside.End?) {
    let error = end?.error as? CaptureError
    #expect(error?.code == .unavailable, "\(String(describing: end))")
    #expect(error?.message.contains("'stuck' does not respond") == true, "\(String(describing: end))")
  }
}

/// A call on the side, and its end.
private final class CallBeside: Sendable {
  struct End: Sendable {
    var error: (any Error)?
  }
  private let state = Mutex<End?>(nil)

  init(_ call: @escaping @Sendable () async throws -> Void) {
    Task {
      var failure: (any Error)?
      do { try await call() } catch { failure = error }
      let end = End(error: failure)
      state.withLock { $0 = end }
    }
  }

  var end: End? { state.withLock { $0 } }
}
