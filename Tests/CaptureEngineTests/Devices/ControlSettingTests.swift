import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct ControlSettingTests {
  /// As uvcvideo describes them: the switch does not say that it changes others.
  private static let automatic = ControlDescription(
    id: .autoFocus, name: "focus_automatic_continuous",
    label: "Focus, Automatic Continuous",
    type: .boolean, maximum: 1)
  private static let focus = ControlDescription(
    id: .focusAbsolute, name: "focus_absolute", label: "Focus, Absolute", type: .integer,
    maximum: 250, step: 5, flags: .inactive)

  private func device(_ camera: FakeCamera) async throws -> Device {
    camera.state.withLock { $0.controls = [Self.automatic, Self.focus] }
    return try await engine(camera).device("0")
  }

  @Test func aValueMayFollowTheSwitchThatFreesIt() async throws {
    let camera = FakeCamera()
    _ = try await device(camera).set(
      [
        NamedAssignment(name: "focus_automatic_continuous", value: .literal("off")),
        NamedAssignment(name: "focus_absolute", value: .literal("100")),
      ], clamping: false)
    #expect(
      camera.state.withLock(\.assignments) == [
        ControlAssignment(Self.automatic.id, .integer(0)), ControlAssignment(Self.focus.id, .integer(100)),
      ])
  }

  @Test func whatIsClampedIsSaidAndTheChangeCanBeAwaited() async throws {
    let device = try await device(FakeCamera())
    let outcome = try await device.set(
      [
        NamedAssignment(name: "focus_automatic_continuous", value: .literal("off")),
        NamedAssignment(name: "focus_absolute", value: .literal("9999")),
      ], clamping: true)
    #expect(outcome.clamped == [ClampedValue(name: "focus_absolute", asked: 9999, set: 250)])
    #expect(outcome.readings.map(\.value) == [.integer(0), .integer(250)])
    #expect(!outcome.isStreaming)
    #expect(try await device.awaitChange(outcome.change).frame == nil)
  }

  @Test func anInactiveControlByItselfIsRefusedBeforeTheDriverIsAsked() async throws {
    let camera = FakeCamera()
    let device = try await device(camera)
    let error = await #expect(throws: CaptureError.self) {
      try await device.set([NamedAssignment(name: "focus_absolute", value: .literal("100"))], clamping: false)
    }
    #expect(error?.code == .failedPrecondition)
    #expect(camera.state.withLock(\.assignments) == [])
  }

  /// Sets the switch.
  private func call(_ device: Device, _ value: String) -> Task<Void, any Error> {
    Task {
      _ = try await device.set(
        [NamedAssignment(name: "focus_automatic_continuous", value: .literal(value))], clamping: false)
    }
  }

  @Test func aCallThatIsCancelledBeforeTheCameraIsTouchedSetsNothing() async throws {
    let camera = FakeCamera()
    let device = try await device(camera)
    camera.state.withLock { $0.holdsControls = true }
    let call = call(device, "on")
    await eventually("it runs") { camera.state.withLock { $0.heldControls.count } == 1 }
    call.cancel()
    camera.releaseControls()
    let error = await #expect(throws: CaptureError.self) { try await call.value }
    #expect(error?.code == .cancelled)
    #expect(camera.state.withLock(\.assignments) == [])
  }

  @Test func aCallThatIsCancelledInTheQueueSetsNothing() async throws {
    let camera = FakeCamera()
    let device = try await device(camera)
    camera.state.withLock { $0.holdsControls = true }
    let first = call(device, "off")
    await eventually("the first runs") { camera.state.withLock { $0.heldControls.count } == 1 }
    let second = call(device, "on")
    await eventually("the second waits") { await device.gates.settings.waitingCount == 1 }
    second.cancel()
    let error = await #expect(throws: CaptureError.self) { try await second.value }
    #expect(error?.code == .cancelled)
    camera.releaseControls()
    _ = try await first.value
    #expect(camera.state.withLock(\.assignments) == [ControlAssignment(Self.automatic.id, .integer(0))])
  }
}
