internal import CaptureModel
internal import CaptureWire
import Synchronization

/// How the calls of a sequence name their camera: as the sequence's user has named it, and by the camera's identity once the node has told that.
///
/// In the node's next run an index, a path or a part of a name may be another camera's.
final class CameraReference: Sendable {
  private struct State {
    /// As the sequence's user has named the camera; empty: there is none, as with a session.
    let typed: String
    /// `nil`: it is not known.
    var identity: String?
    var isSettled: Bool
    /// Whether a call was opened, or at least tried.
    var wasOpened = false
  }
  private let state: Mutex<State>

  /// `isIdentified`: the name is the identity that the node has told.
  init(_ name: String, isIdentified: Bool) {
    state = Mutex(
      State(typed: name, identity: isIdentified ? name : nil, isSettled: isIdentified || name.isEmpty))
  }

  /// The name for the next call.
  var name: String { state.withLock { $0.identity ?? $0.typed } }

  /// Whether the name stays as it is: it is the camera's identity, or the node does not tell that.
  var isSettled: Bool { state.withLock(\.isSettled) }

  /// Notes the camera's identity; `nil`: the node does not tell it.
  func settle(on identity: String?) {
    state.withLock { state in
      guard !state.isSettled else { return }
      (state.identity, state.isSettled) = (identity, true)
    }
  }

  /// Notes the identity that the camera has in the node's list.
  func settle(by list: ListDevicesResponse) {
    settle(on: try? list.roster.find(name).description.id.rawValue)
  }

  /// Throws `notFound` where the node does not have the camera of the calls before: it would take the identity for a part of another camera's. `timeout`
  /// limits the call for the node's list.
  func requireListed(on connection: any NodeConnection, timeout: Duration? = nil) async throws(RPCError) {
    let identity = state.withLock { state in
      defer { state.wasOpened = true }
      return state.wasOpened ? state.identity : nil
    }
    guard let identity else { return }
    let list = try await DevicesClient(connection).list(options: CallOptions(timeout: timeout))
    do throws(CaptureError) { try list.roster.requireCamera(CameraID(rawValue: identity)) } catch {
      throw RPCError(error)
    }
  }
}

extension ListDevicesResponse {
  fileprivate var roster: CameraRoster {
    var roster = CameraRoster()
    for device in devices { roster.appeared(device.values.description) }
    return roster
  }
}
