import CaptureSystem
import CaptureTransport
import Synchronization

/// Facts about the node itself, collected while it starts.
final class NodeFacts: Sendable {
  let version: String
  let started = MonotonicClock.now()
  private struct State {
    weak var server: NodeServer?
    var methods: [String] = []
  }
  private let state = Mutex(State())

  init(version: String) { self.version = version }

  /// `methods`: the names of all methods that `server` serves.
  func attach(to server: NodeServer, methods: [String]) {
    state.withLock { ($0.server, $0.methods) = (server, methods) }
  }

  var methods: [String] { state.withLock { $0.methods } }
  var listeners: [SocketAddress] { state.withLock { $0.server }?.addresses ?? [] }
  var statistics: NodeStatistics { state.withLock { $0.server }?.statistics ?? NodeStatistics() }
}
