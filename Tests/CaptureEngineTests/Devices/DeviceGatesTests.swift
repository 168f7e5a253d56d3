import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct DeviceGatesTests {
  @Test func whoGoesThroughThemInTheirOrderIsLetIn() async throws {
    let gates = DeviceGates()
    for gate in [DeviceGate.photo, .stream, .flash, .settings] { try await gates.enter(gate) }
    for gate in [DeviceGate.settings, .flash, .stream, .photo] { gates.leave(gate) }
    try await gates.enter(.settings)
    gates.leave(.settings)
    try await gates.enter(.stream)
    gates.leave(.stream)
  }

  @Test func othersWaitWhereOneIsIn() async throws {
    let gates = DeviceGates()
    try await gates.enter(.flash)
    let other = Task { try await gates.enter(.flash) }
    await eventually("it waits") { gates.waitingCount(.flash) == 1 }
    #expect(!gates.tryEnter(.flash) && gates.tryEnter(.settings))
    gates.leave(.settings)
    gates.leave(.flash)
    try await other.value
    gates.leave(.flash)
  }

  @Test func aGateBehindALaterOneTraps() async {
    await #expect(processExitsWith: .failure) {
      let gates = DeviceGates()
      try await gates.enter(.settings)
      try await gates.enter(.stream)
    }
    await #expect(processExitsWith: .failure) {
      let gates = DeviceGates()
      try await gates.enter(.stream)
      try await gates.enter(.photo)
    }
  }
}
