import CaptureTransport
import CaptureWire

@testable import CaptureClient

/// A node whose connections a test makes and loses.
struct Rig {
  let node: RemoteNode
  let connection: ReconnectingConnection
  /// What the next attempts come to.
  let attempts: AsyncStream<Result<FakeConnection, RPCError>>.Continuation
  let changes: AsyncStream<ConnectionChange>

  init(_ first: FakeConnection) async {
    let (attempts, attempted) = AsyncStream.makeStream(of: Result<FakeConnection, RPCError>.self)
    self.attempts = attempted
    let (changes, changed) = AsyncStream.makeStream(of: ConnectionChange.self)
    self.changes = changes
    let policy = ReconnectPolicy(
      initialDelay: .milliseconds(1), maximumDelay: .milliseconds(4), jitter: 0)
    connection = ReconnectingConnection(
      first, policy: policy,
      dial: { () async throws(RPCError) -> any NodeConnection in
        let attempt = await attempts.first { _ in true }
        return try (attempt ?? .failure(RPCError(.unavailable, "no more"))).get()
      },
      changed: { changed.yield($0) })
    await connection.start()
    node = RemoteNode(connection)
  }

  func change() async -> ConnectionChange? { await changes.first { _ in true } }
}
