internal import CaptureModel
internal import CaptureWire
import Synchronization

/// How the calls of a sequence name their camera: as the sequence's user has named it, and by the camera's identity once the node has told that.
///
/// In the node's next run an index, a path or a part of a name may be another camera's.
final class CameraReference: Sendable {
  private struct State {
    var name: String
    var isSettled: Bool
  }
  private let state: Mutex<State>

  /// `isSettled`: the name is the camera's identity, or there is no camera, as with a session.
  init(_ name: String, isSettled: Bool) { state = Mutex(State(name: name, isSettled: isSettled)) }

  /// The name for the next call.
  var name: String { state.withLock(\.name) }

  /// Whether the name stays as it is: it is the camera's identity, or the node does not tell that.
  var isSettled: Bool { state.withLock(\.isSettled) }

  /// Notes the camera's identity; `nil`: the node does not tell it.
  func settle(on identity: String?) {
    state.withLock { state in
      guard !state.isSettled else { return }
      state = State(name: identity ?? state.name, isSettled: true)
    }
  }

  /// Notes the identity that the camera has in the node's list.
  func settle(by list: ListDevicesResponse) {
    var roster = CameraRoster()
    for device in list.devices { roster.appeared(device.values.description) }
    settle(on: try? roster.find(name).description.id.rawValue)
  }
}
