import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

@Suite struct GateTests {
  @Test func whoGoesThroughThemInTheirOrderIsLetIn() async throws {
    let (session, gates) = (Gate(.session), DeviceGates())
    let inOrder = [
      session, gates.photo, gates.stream, gates.flash, gates.settings, gates.storing, gates.making,
    ]
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

  @Test func oneWithTwoPlacesLetsTwoInAndOthersInTheirOrder() async throws {
    let places = Mutex(2)
    let gate = Gate(.making) { places.withLock { $0 } }
    let entered = Mutex<[Int]>([])
    let enter = { @Sendable (number: Int) async throws in
      try await gate.enter()
      entered.withLock { $0.append(number) }
    }
    let first = (0..<2).map { _ in Task { try await gate.enter() } }
    for task in first { try await task.value }
    var others: [Task<Void, any Error>] = []
    for number in 0..<6 {
      others.append(Task { try await enter(number) })
      await eventually("it waits") { gate.waitingCount == number + 1 }
    }
    let cancelled = others[1]
    cancelled.cancel()
    await #expect(throws: CaptureError.self) { try await cancelled.value }
    gate.leave()
    try await others[0].value
    #expect(gate.waitingCount == 4 && !gate.tryEnter())
    // A place less: one leaves for nobody.
    places.withLock { $0 = 1 }
    gate.leave()
    #expect(gate.waitingCount == 4)
    gate.leave()
    try await others[2].value
    // Two more.
    places.withLock { $0 = 3 }
    #expect(!gate.tryEnter())
    gate.leave()
    for other in others[3...] { try await other.value }
    #expect(gate.waitingCount == 0 && entered.withLock { $0.prefix(2) } == [0, 2])
    for _ in 0..<3 { gate.leave() }
    #expect(gate.tryEnter())
    gate.leave()
    // Debug builds tell tasks apart as long as they are there.
    withExtendedLifetime((first, others)) {}
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
