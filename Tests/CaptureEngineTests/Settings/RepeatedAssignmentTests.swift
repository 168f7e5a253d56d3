import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

/// The contract says of `SetControlsRequest` what becomes of a control that is in it more than once.
@Suite(.timeLimit(.minutes(1))) struct RepeatedAssignmentTests {
  /// Each is one letter, a control, and its value: "b1".
  private func set(_ assignments: String...) async throws -> (set: [String], readings: [String]) {
    let camera = FakeCamera()
    let names: [(id: UInt32, name: String)] = [(0x98_0900, "brightness"), (0x98_0901, "contrast")]
    camera.state.withLock { state in
      state.controls = names.map {
        ControlDescription(
          id: ControlID(rawValue: $0.id), name: $0.name, label: $0.name, type: .integer, minimum: 0,
          maximum: 9, defaultValue: 5)
      }
    }
    let device = try await engine(camera).device("0")
    let outcome = try await device.set(
      assignments.map { text in
        let name = names.first { $0.name.first == text.first }!.name
        return NamedAssignment(name: name, value: .literal(String(text.dropFirst())))
      }, clamping: false)
    func text(_ id: ControlID, _ value: ControlValue) -> String {
      "\(names.first { $0.id == id.rawValue }!.name.prefix(1))\(value.number ?? -1)"
    }
    return (
      camera.state.withLock { $0.assignments.map { text($0.id, $0.value) } },
      outcome.readings.map { text($0.control.id, $0.value) }
    )
  }

  @Test func aControlIsSetEachTimeAndTheLastValueStays() async throws {
    let outcome = try await set("b1", "b2", "b1")
    #expect(outcome.set == ["b1", "b2", "b1"])
    #expect(outcome.readings == ["b1", "b1", "b1"])
  }

  @Test func whatStoodBeforeAnotherControlIsSetAgain() async throws {
    #expect(try await set("b1", "c2", "b1").set == ["b1", "c2", "b1"])
  }

  @Test func whatRepeatsTheOneBeforeItCountsOnce() async throws {
    let outcome = try await set("b1", "b1", "b1", "c2", "c2")
    #expect(outcome.set == ["b1", "c2"])
    #expect(outcome.readings == ["b1", "c2"])
  }
}
