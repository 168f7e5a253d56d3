import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct GateTests {
  @Test func whoGoesThroughThemInTheirOrderIsLetIn() async throws {
    let (session, gates) = (Gate(.session), DeviceGates())
    let inOrder = [session, gates.photo, gates.stream, gates.flash, gates.settings, gates.making]
    for gate in inOrder { try await gate.enter() }
    for gate in inOrder.reversed() { gate.leave() }
    try await gates.settings.enter()
    gates.settings.leave()
    try await gates.stream.enter()
    gates.stream.leave()
    #expect(gates.flash.tryEnter() && gates.settings.tryEnter())
    gates.settings.leave()
    gates.flash.leave()
  }

  @Test func othersWaitWhereOneIsIn() async throws {
    let gates = DeviceGates()
    try await gates.flash.enter()
    let other = Task {
      try await gates.flash.enter()
      gates.flash.leave()
    }
    await eventually("it waits") { gates.flash.waitingCount == 1 }
    #expect(gates.settings.tryEnter())
    let isFree = await Task { gates.flash.tryEnter() || gates.settings.tryEnter() }.value
    #expect(!isFree)
    gates.settings.leave()
    gates.flash.leave()
    try await other.value
  }

  @Test func aGateBehindALaterOneTraps() async {
    await #expect(processExitsWith: .failure) {
      let gates = DeviceGates()
      try await gates.settings.enter()
      try await gates.stream.enter()
    }
    await #expect(processExitsWith: .failure) {
      let gates = DeviceGates()
      try await gates.stream.enter()
      try await gates.photo.enter()
    }
  }

  @Test func aSessionsGateBehindADevicesGateTraps() async {
    await #expect(processExitsWith: .failure) {
      let (session, gates) = (Gate(.session), DeviceGates())
      try await gates.settings.enter()
      try await session.enter()
    }
    await #expect(processExitsWith: .failure) {
      let (session, gates) = (Gate(.session), DeviceGates())
      try await gates.photo.enter()
      await session.enterToCleanUp()
    }
  }

  @Test func theGatesOfSeveralDevicesHaveOneOrder() async {
    await #expect(processExitsWith: .failure) {
      let (one, other) = (DeviceGates(), DeviceGates())
      try await one.stream.enter()
      try await other.stream.enter()
    }
  }

  @Test func aTryKeepsToTheOrder() async {
    await #expect(processExitsWith: .failure) {
      let gates = DeviceGates()
      try await gates.settings.enter()
      _ = gates.stream.tryEnter()
    }
    await #expect(processExitsWith: .failure) {
      let gates = DeviceGates()
      try await gates.settings.enter()
      _ = gates.settings.tryEnter()
    }
    await #expect(processExitsWith: .failure) {
      let gates = DeviceGates()
      _ = gates.settings.tryEnter()
      try await gates.stream.enter()
    }
  }
}
