import CaptureModel
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

import class CaptureEngine.Device
@testable import CaptureEngine
@testable import CaptureNode

/// Many who save profiles of a camera, on a disk that takes its time.
@Suite(.timeLimit(.minutes(1))) struct SavingProfilesTests {
  /// Its writes wait until they are let go.
  private final class SlowStore: MemoryStore {
    private struct State {
      var isHeld = false
      var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    func hold() { state.withLock { $0.isHeld = true } }
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func letAllGo() {
      let waiting = state.withLock { state in
        defer { state = State() }
        return state.waiting
      }
      for write in waiting { write.resume() }
    }

    func memory(of camera: CameraID) -> CameraMemory { CameraMemory() }
    func save(_ memory: CameraMemory, of camera: CameraID) {}
    var sessions: [String: SessionMemory] { [:] }
    func save(_ session: SessionMemory?, named name: String) {}

    nonisolated(nonsending) func flush() async throws(CaptureError) {
      await withCheckedContinuation { write in
        let isHeld = state.withLock { state in
          if state.isHeld { state.waiting.append(write) }
          return state.isHeld
        }
        if !isHeld { write.resume() }
      }
    }
  }

  /// A node with a camera that has a profile "night". From now on its disk writes nothing.
  private struct Rig {
    let store = SlowStore()
    let device: Device
    let node: CameraNode
    let client: ClientConnection
    var settings: SettingsClient { SettingsClient(client) }

    init() async throws {
      let engine = CaptureEngine(imaging: .standard, store: store)
      await engine.attach(FakeProvider([FakeCamera()]))
      device = try engine.device("0")
      node = CameraNode(engine, store: DiscardingStore())
      client = try await ClientConnection.connect(
        to: try node.listen(on: .internet(host: "127.0.0.1", port: 0, family: .v4)))
      try await save("night")
      store.hold()
    }

    func save(_ name: String) async throws {
      _ = try await settings.saveProfile(
        SaveProfileRequest(device: "0", name: name, replace: true), options: bounded)
    }

    func delete(_ name: String) async throws {
      _ = try await settings.deleteProfile(
        DeleteProfileRequest(device: "0", name: name), options: bounded)
    }

    func stop() async {
      store.letAllGo()
      await client.close()
      await node.drain(grace: .milliseconds(10))
    }
  }

  @Test func aProfileIsLoadedThoughTheyWaitForTheDisk() async throws {
    let rig = try await Rig()
    let crowd = (0..<50).map { _ in Task { try await rig.save("x") } }
    await eventually("one is being written") { rig.store.waitingCount == 1 }
    _ = try await rig.settings.loadProfile(
      LoadProfileRequest(device: "0", name: "night"), options: bounded)
    rig.store.letAllGo()
    for one in crowd { try await one.value }
    await rig.stop()
  }

  /// Makes one call more than may run or wait, and expects that this one is refused. Returns how the others end once the disk writes.
  private func oneTooMany(
    _ rig: Rig, _ call: @escaping @Sendable () async throws -> Void
  ) async -> [RPCError?] {
    await withTaskGroup(of: RPCError?.self) { group in
      for _ in 0...NodeLimit.profileChangesPerCamera.usual { group.addTask { await status(call) } }
      // All others have come by then.
      let refusal = await group.next() ?? nil
      #expect(refusal?.code == .resourceExhausted)
      #expect(refusal?.details?.limit == "profileChangesPerCamera")
      await eventually("one is being written") { rig.store.waitingCount == 1 }
      #expect(await rig.device.run { $0.context.gates.flash.waitingCount } == 0)
      rig.store.letAllGo()
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func soManySaveOrWaitAndNoMore() async throws {
    let rig = try await Rig()
    let others = await oneTooMany(rig) { try await rig.save("x") }
    #expect(others.allSatisfy { $0 == nil })
    try await rig.save("x")
    await rig.stop()
  }

  @Test func soManyDeleteOrWaitAndNoMore() async throws {
    let rig = try await Rig()
    let others = await oneTooMany(rig) { try await rig.delete("night") }
    #expect(others.filter { $0 == nil }.count == 1)
    #expect(others.allSatisfy { $0 == nil || $0?.code == .notFound })
    await rig.stop()
  }

  @Test func aProfileIsDeletedThoughASaveWaitsForTheCamera() async throws {
    let rig = try await Rig()
    rig.store.letAllGo()
    let flash = await rig.device.run { $0.context.gates.flash }
    try await flash.enter()
    let save = Task { try await rig.save("x") }
    await eventually("the save waits") { flash.waitingCount == 1 }
    try await rig.delete("night")
    flash.leave()
    try await save.value
    await rig.stop()
  }
}
