import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct ControlSettingTests {
  /// As uvcvideo describes them: the switch does not say that it changes others.
  private static let automatic = ControlDescription(
    id: ControlID(rawValue: 0x9a_090c), name: "focus_automatic_continuous",
    label: "Focus, Automatic Continuous",
    type: .boolean, maximum: 1)
  private static let focus = ControlDescription(
    id: ControlID(rawValue: 0x9a_090a), name: "focus_absolute", label: "Focus, Absolute", type: .integer,
    maximum: 250, step: 5, flags: .inactive)

  private func device(_ camera: FakeCamera) async throws -> DeviceController {
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

  @Test func anInactiveControlByItselfIsRefusedBeforeTheDriverIsAsked() async throws {
    let camera = FakeCamera()
    let device = try await device(camera)
    let error = await #expect(throws: CaptureError.self) {
      try await device.set([NamedAssignment(name: "focus_absolute", value: .literal("100"))], clamping: false)
    }
    #expect(error?.code == .failedPrecondition)
    #expect(camera.state.withLock(\.assignments) == [])
  }

  /// Cancels a call of `device` that sets the switch, once it runs.
  private func setAndCancel(_ device: DeviceController) async -> CaptureError? {
    let call = Task {
      try await device.set(
        [NamedAssignment(name: "focus_automatic_continuous", value: .literal("on"))], clamping: false)
    }
    try? await Task.sleep(for: .milliseconds(20))
    call.cancel()
    do {
      _ = try await call.value
      return nil
    } catch {
      return error as? CaptureError
    }
  }

  @Test func aCallThatIsCancelledBeforeTheCameraIsTouchedSetsNothing() async throws {
    let camera = FakeCamera()
    let device = try await device(camera)
    camera.state.withLock { $0.controlDelay = .milliseconds(200) }
    #expect(await setAndCancel(device)?.code == .cancelled)
    #expect(camera.state.withLock(\.assignments) == [])
  }

  @Test func aCallThatIsCancelledInTheQueueSetsNothing() async throws {
    let camera = FakeCamera()
    let device = try await device(camera)
    camera.state.withLock { $0.controlDelay = .milliseconds(300) }
    async let first = device.set(
      [NamedAssignment(name: "focus_automatic_continuous", value: .literal("off"))], clamping: false)
    try await Task.sleep(for: .milliseconds(50))
    #expect(await setAndCancel(device)?.code == .cancelled)
    _ = try await first
    #expect(camera.state.withLock(\.assignments) == [ControlAssignment(Self.automatic.id, .integer(0))])
  }
}
