import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureWire
import Dispatch
import Testing

@testable import CaptureTransport

/// Calls with one answer whose task is cancelled, from tasks on the connection's loop and from others.
@Suite(.timeLimit(.minutes(1))) struct CancelledUnaryTests {
  private static let endless = TestRequest(intervalUs: EndingTests.long)

  /// Makes a call; `onLoop`: from a task that prefers the connection's loop.
  private func call(
    _ client: ClientConnection, _ request: TestRequest, onLoop: Bool, cancelsItself: Bool = false
  ) -> Task<RPCError?, Never> {
    Task(executorPreference: onLoop ? client.loop.executor : nil) {
      if cancelsItself { withUnsafeCurrentTask { $0?.cancel() } }
      do throws(RPCError) {
        _ = try await TestClient(client).unary(request)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Neither side has an open call.
  private func isQuiet(_ node: Node, _ client: ClientConnection) async -> Bool {
    await client.openUnaryCalls == 0 && node.server.statistics.calls == 0
  }

  @Test(arguments: [false, true]) func aTaskThatIsCancelledAlreadyOpensNoCall(onLoop: Bool) async throws {
    let node = try Node()
    let client = try await node.client()
    for _ in 0..<10 {
      let error = await call(client, Self.endless, onLoop: onLoop, cancelsItself: true).value
      #expect(error == RPCError(.callCancelled))
    }
    _ = try await TestClient(client).empty(TestEmpty())
    try await eventually { node.server.statistics.callsTotal >= 1 }
    #expect(node.server.statistics.callsTotal == 1)
    #expect(await isQuiet(node, client))
    await node.stop()
  }

  @Test func aTaskIsCancelledWhileItsCallWaitsForTheLoop() async throws {
    let node = try Node()
    var configuration = ClientConfiguration()
    configuration.loop = TransportLoop(label: "test")
    let client = try await node.client(configuration)
    let (stopped, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    client.loop.serial.async {
      stopped.signal()
      gate.wait()
    }
    await withCheckedContinuation { done in
      DispatchQueue.global().async {
        stopped.wait()
        done.resume()
      }
    }
    let own = QueueTaskExecutor(QueueExecutor(label: "test"))
    let waiting = Task(executorPreference: own) { try await TestClient(client).unary(Self.endless) }
    // This runs once the call has been handed to the loop.
    await Task(executorPreference: own) {}.value
    waiting.cancel()
    gate.signal()
    let result = await waiting.result
    #expect(throws: RPCError(.callCancelled)) { try result.get() }
    try await eventually { await self.isQuiet(node, client) }
    await node.stop()
  }

  @Test(arguments: [false, true]) func aTaskIsCancelledWhileItsHandlerRuns(onLoop: Bool) async throws {
    let node = try Node()
    let client = try await node.client()
    let waiting = call(client, Self.endless, onLoop: onLoop)
    try await eventually { node.server.statistics.calls == 1 }
    waiting.cancel()
    #expect(await waiting.value == RPCError(.callCancelled))
    try await eventually { await self.isQuiet(node, client) }
    await node.stop()
  }

  /// Each call ends once, wherever its cancellation meets it: a lost one would never end here.
  @Test(arguments: [false, true]) func cancellationsMeetCallsAnywhereOnTheirWay(onLoop: Bool) async throws {
    let node = try Node()
    let client = try await node.client()
    for round in 0..<200 {
      let isQuick = round % 2 == 0
      let calling = call(client, isQuick ? TestRequest() : Self.endless, onLoop: onLoop)
      for _ in 0..<round % 20 { await Task.yield() }
      calling.cancel()
      let error = await calling.value
      #expect(error == RPCError(.callCancelled) || isQuick && error == nil)
    }
    try await eventually { await self.isQuiet(node, client) }
    _ = try await TestClient(client).empty(TestEmpty())
    await node.stop()
  }

  @Test(arguments: [false, true]) func aLostConnectionTakesNoCall(onLoop: Bool) async throws {
    let node = try Node()
    let client = try await node.client()
    let waiting = call(client, Self.endless, onLoop: onLoop)
    try await eventually { node.server.statistics.calls == 1 }
    await client.close()
    #expect(await waiting.value?.code == .unavailable)
    let late = call(client, TestRequest(), onLoop: onLoop)
    late.cancel()
    let error = await late.value
    #expect(error?.code == .unavailable || error?.code == .cancelled)
    #expect(await client.openUnaryCalls == 0)
    await node.stop()
  }
}

extension ClientConnection {
  fileprivate var openUnaryCalls: Int { unaryCalls.count + pump.state.openCalls }
}
