import CaptureEngine
import CaptureModel
import CaptureNode
import CaptureSynthetic
import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureClient

/// A node in this process, with synthetic cameras, and clients of it.
struct LiveNode {
  let node: CameraNode
  let address: SocketAddress
  let provider: SyntheticProvider

  static let loopback = SocketAddress.internet(host: "127.0.0.1", port: 0, family: .v4)

  init(
    _ specs: String..., address: SocketAddress = Self.loopback, limits: NodeLimits = NodeLimits()
  ) async throws {
    try await self.init(
      cameras: specs.isEmpty ? ["synthetic:320x240@100"] : specs, address: address, limits: limits)
  }

  /// `others`: cameras whose identities are counted from 0 as well. So two nodes can have the same cameras in another order.
  init(
    cameras: [String], then others: [String] = [], address: SocketAddress = Self.loopback,
    limits: NodeLimits = NodeLimits()
  ) async throws {
    provider = SyntheticProvider(cameras: try cameras.map { try SyntheticSpec.parse($0)! })
    let engine = CaptureEngine(
      imaging: .standard, store: DiscardingStore(), limits: limits, software: { SoftwareThreeA(of: $0) })
    await engine.attach(provider)
    if !others.isEmpty {
      await engine.attach(SyntheticProvider(cameras: try others.map { try SyntheticSpec.parse($0)! }))
    }
    node = CameraNode(engine)
    self.address = try node.listen(on: address)
  }

  /// A client whose connection a test can cut.
  func client(reconnects: Bool = true) async throws -> (RemoteNode, Cable) {
    let cable = Cable(address)
    return (try await cable.client(reconnects: reconnects), cable)
  }

  func stop() async { await node.drain(grace: .milliseconds(10)) }
}

/// The way from a client to a node: it can be cut, and is then made again.
final class Cable: Sendable {
  private struct State {
    var address: SocketAddress
    var connection: ClientConnection?
    var isOut = false
    var made: [Weak] = []
  }
  private struct Weak { weak var connection: ClientConnection? }
  private let state: Mutex<State>

  init(_ address: SocketAddress) { state = Mutex(State(address: address)) }

  func client(reconnects: Bool) async throws -> RemoteNode {
    let first = try await dial()
    guard reconnects else { return RemoteNode(first) }
    let policy = ReconnectPolicy(initialDelay: .milliseconds(1), maximumDelay: .milliseconds(4), jitter: 0)
    let connection = ReconnectingConnection(
      first, policy: policy,
      dial: { [weak self] () async throws(RPCError) in
        guard let self else { throw RPCError(.unavailable, "the test is over") }
        return try await self.dial()
      }, changed: { _ in })
    await connection.start()
    return RemoteNode(connection)
  }

  private func dial() async throws(RPCError) -> any NodeConnection {
    let (address, isOut) = state.withLock { ($0.address, $0.isOut) }
    if isOut { throw RPCError(.unavailable, "the cable is out") }
    let connection = try await ClientConnection.connect(to: address)
    state.withLock {
      $0.connection = connection
      $0.made.removeAll { $0.connection == nil }
      $0.made.append(Weak(connection: connection))
    }
    return connection
  }

  /// Cuts the connection. It can be made again at once, unless the cable stays out.
  func cut(staysOut: Bool = false) async {
    let connection = state.withLock { state in
      state.isOut = staysOut
      return state.connection.take()
    }
    await connection?.close()
  }

  /// From now on the other end is at another address.
  func plug(into address: SocketAddress) { state.withLock { ($0.address, $0.isOut) = (address, false) } }

  /// Puts the cable back.
  func plug() { state.withLock { $0.isOut = false } }

  /// How many of the connections that there were still exist, with the present one.
  var existing: Int { state.withLock { $0.made.count { $0.connection != nil } } }
}

/// What a call ended in; `nil`: it went well.
func failure(_ body: () async throws -> Void) async -> CaptureError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? CaptureError ?? CaptureError(.unknown, "\(error)")
  }
}

/// Checks `condition` until it holds, at most 10 s.
func eventually(
  _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async {
  for _ in 0..<2000 {
    if await condition() { return }
    try? await Task.sleep(for: .milliseconds(5))
  }
  Issue.record(what, sourceLocation: sourceLocation)
}
