import CaptureSystem
import CaptureTestService
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

/// A node with the test service, and clients of it.
struct Node {
  let server: NodeServer
  let address: SocketAddress

  init(
    on address: SocketAddress = .internet(host: "127.0.0.1", port: 0, family: .v4),
    configuration: NodeConfiguration = NodeConfiguration(), services: [any ServiceHandler]? = nil
  ) throws {
    server = NodeServer(
      services: services ?? [WireTestService().handler], configuration: configuration)
    self.address = try server.listen(on: address)
  }

  func client(_ configuration: ClientConfiguration = ClientConfiguration()) async throws -> ClientConnection {
    try await ClientConnection.connect(to: address, configuration: configuration)
  }

  func stop() async { await server.drain(grace: .milliseconds(10)) }
}

/// Runs `body`, and fails the test when it takes longer: nothing here may hang.
func within<T: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
  try await withThrowingTaskGroup(of: T?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    guard let result = try await group.next()! else { throw TimedOut(limit: limit) }
    return result
  }
}

struct TimedOut: Error { let limit: Duration }

/// Runs `body`, and expects that it takes less time than `limit`, but for the time for which this process waited for a processor.
func promptly<T: Sendable>(
  _ limit: Duration, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
  // Timers of a process that has its processors are late by less than a millisecond.
  let witness = LatenessWitness(on: .anyProcessor, every: 1_000_000, tolerance: 1_000_000) { $0 }
  defer { witness.end() }
  let began = ContinuousClock.now
  let result = try await within(.seconds(60), body)
  let took = ContinuousClock.now - began
  #expect(took < limit + .nanoseconds(witness.end()), sourceLocation: sourceLocation)
  return result
}

/// Waits until `condition` holds. It counts looks, each of which takes longer on a busy machine.
func eventually(_ limit: Duration = .seconds(5), _ condition: @escaping @Sendable () async -> Bool)
  async throws
{
  try await within(limit * 6) {
    for _ in 0..<Int(limit / .milliseconds(2)) {
      if await condition() { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw TimedOut(limit: limit)
  }
}
