import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A driver that focuses once, when a button is pressed.
@Suite(.timeLimit(.minutes(1))) struct FocusSearchTests {
  private static let (busy, reached) = (ControlValue.integer(1), ControlValue.integer(2))

  private static func button(_ id: ControlID, _ name: String) -> ControlDescription {
    ControlDescription(id: id, name: name, label: name, type: .button)
  }

  private let camera = FakeCamera()

  init() {
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: .focusAbsolute, name: "focus_absolute", label: "Focus", type: .integer, maximum: 250),
        Self.button(.autoFocusStart, "auto_focus_start"), Self.button(.autoFocusStop, "auto_focus_stop"),
        ControlDescription(
          id: .autoFocusStatus, name: "auto_focus_status", label: "Status", type: .bitmask, maximum: 7,
          flags: [.readOnly, .volatile]),
      ]
      state.effects = [
        .autoFocusStart: [.autoFocusStatus: Self.busy], .autoFocusStop: [.autoFocusStatus: .integer(0)],
      ]
    }
  }

  private func focus(
    _ device: Device, _ mode: FocusMode?, lens: Double? = nil
  ) async throws -> CameraSettings.Focus? {
    var change = SettingsChange()
    change.focus = .init(mode: mode, lensPosition: lens)
    return try await device.set(change).settings.focus
  }

  private func taken() -> [ControlID] {
    camera.state.withLock { state in
      defer { state.assignments = [] }
      return state.assignments.map(\.id)
    }
  }

  @Test func itIsAutoUntilTheDriverIsDoneThenLocked() async throws {
    let device = try await engine(camera).device("0")
    #expect(try await device.settings().focus?.mode == .locked)
    let watch = try await device.watchSettings(["focus.mode", "focus.adjusting"])
    let begun = try #require(try await focus(device, .auto))
    #expect(begun.mode == .auto && begun.isAdjusting)
    #expect(try await watch.next()?.keys == [])
    let both: Set<SettingsKey> = [.setting(.focusMode), .setting(.focusAdjusting)]
    #expect(try await watch.next()?.keys == both)
    #expect(try await device.settings().focus?.mode == .auto)
    camera.state.withLock { state in
      state.values[.autoFocusStatus] = Self.reached
      state.values[.focusAbsolute] = .integer(125)
    }
    // Nobody asks.
    await eventually("it is known") {
      let known = await device.knownSettings()?.focus
      return known?.mode == .locked && known?.isAdjusting == false && known?.lensPosition?.value == 0.5
    }
    #expect(try await watch.next()?.keys == both)
    #expect(taken() == [.autoFocusStart])
  }

  @Test func lockingStopsASearchThatRunsAndNothingElse() async throws {
    let device = try await engine(camera).device("0")
    _ = try await focus(device, .locked)
    #expect(taken() == [])
    _ = try await focus(device, .auto)
    let locked = try #require(try await focus(device, .locked))
    #expect(locked.mode == .locked && !locked.isAdjusting)
    #expect(taken() == [.autoFocusStart, .autoFocusStop])
    _ = try await focus(device, .auto)
    _ = try await focus(device, nil, lens: 0.5)
    #expect(taken() == [.autoFocusStart, .autoFocusStop, .focusAbsolute])
    // Buttons that were pressed are not pressed again to undo anything.
    camera.state.withLock { $0.brokenControls = [.focusAbsolute] }
    _ = try await focus(device, .auto)
    await #expect(throws: CaptureError.self) { _ = try await focus(device, nil, lens: 1) }
    #expect(taken() == [.autoFocusStart, .autoFocusStop])
  }
}
