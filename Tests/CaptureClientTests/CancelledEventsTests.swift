import CaptureModel
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureClient

/// A task that reads events is cancelled, wherever it waits. It ends, and nothing that it waited with stays.
@Suite(.timeLimit(.minutes(1))) struct CancelledEventsTests {
  /// Reads settings on a connection of its own, and returns what the reader ends in once `cancel` says when.
  private func ending(
    _ first: FakeConnection, _ prepare: (Rig) async throws -> Void
  ) async throws -> CaptureError? {
    let rig = await Rig(first)
    let reader = Task { for try await _ in rig.node.camera("a").settingsEvents() {} }
    try await prepare(rig)
    reader.cancel()
    let error = await failure { try await reader.value }
    await rig.node.close()
    return error
  }

  private var watching: FakeConnection { ResumingEventsTests.connection(ResumingEventsTests.settings(0.005)) }

  @Test func beforeItBegins() async throws {
    let rig = await Rig(watching)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      for try await _ in rig.node.camera("a").settingsEvents() {}
    }
    task.cancel()
    #expect(await failure { try await task.value }?.code == .cancelled)
    await rig.node.close()
  }

  @Test func whileItWaitsForAnEvent() async throws {
    let first = watching
    let error = try await ending(first) { _ in
      await eventually("it reads") { first.waitingReaders == 1 }
    }
    #expect(error?.code == .cancelled)
    #expect(first.waitingReaders == 0)
  }

  @Test func whileItWaitsForTheConnection() async throws {
    let first = watching
    let error = try await ending(first) { rig in
      await eventually("it reads") { first.waitingReaders == 1 }
      first.lose("a cable was pulled")
      await eventually("it waits") { await rig.connection.waiters == 1 }
    }
    #expect(error?.code == .cancelled)
  }

  @Test func whileItWaitsForACamera() async throws {
    let first = watching
    let missing = FakeConnection.Answer(ending: .failure(RPCError(.notFound, "there is no camera 'a'")))
    let second = FakeConnection([
      SettingsMethods.watch: missing, DevicesMethods.list: ResumingEventsTests.list,
    ])
    let error = try await ending(first) { rig in
      await eventually("it reads") { first.waitingReaders == 1 }
      first.lose("the node was restarted")
      rig.attempts.yield(.success(second))
      await eventually("it tries again and again") { second.requests.count > 3 }
    }
    #expect(error?.code == .cancelled)
  }

  @Test func noWaiterOutlivesItsReader() async throws {
    weak var connection: ReconnectingConnection?
    weak var lost: FakeConnection?
    do {
      let first = watching
      let rig = await Rig(first)
      (connection, lost) = (rig.connection, first)
      let readers = (0..<20).map { _ in
        Task { for try await _ in rig.node.camera("a").settingsEvents() {} }
      }
      await eventually("all read") { first.waitingReaders == 20 }
      first.lose("a cable was pulled")
      await eventually("all wait") { await rig.connection.waiters == 20 }
      for reader in readers { reader.cancel() }
      for reader in readers { #expect(await failure { try await reader.value }?.code == .cancelled) }
      await eventually("none waits") { await rig.connection.waiters == 0 }
    }
    await eventually("the connection is let go of, though nobody closed it") {
      connection == nil && lost == nil
    }
  }
}
