import CaptureModel
import Synchronization

/// Tasks on a device of which only one runs at a time. A task that needs several of these gates enters them in this order. A session's turn comes
/// before all of them.
enum DeviceGate: Int, Comparable, Sendable {
  /// Taking a photo of a camera that does not stream, and what would change such a photo's stream.
  case photo
  /// Starting and stopping the stream.
  case stream
  /// Lighting a photo.
  case flash
  /// Setting controls and all other settings.
  case settings

  static func < (a: DeviceGate, b: DeviceGate) -> Bool { a.rawValue < b.rawValue }
}

/// The gates of one device. A debug build traps where a task enters a gate while it holds that one or a later one: it could wait for itself, or for a
/// task that waits for it.
final class DeviceGates: Sendable {
  private let turnstiles = (
    photo: Turnstile(), stream: Turnstile(), flash: Turnstile(), settings: Turnstile()
  )
  #if DEBUG
    /// The tasks that hold gates.
    private let holders = Mutex<[DeviceGate: Int]>([:])
  #endif

  /// Waits for the caller's turn; ``leave(_:)`` gives it to the next task. Throws `cancelled` when the task is cancelled while it waits.
  func enter(_ gate: DeviceGate) async throws(CaptureError) {
    requireOrder(gate)
    try await turnstile(gate).enter()
    note(gate, isHeld: true)
  }

  /// Waits as ``enter(_:)`` does, even if the task is cancelled: what was begun has to be undone.
  func enterToCleanUp(_ gate: DeviceGate) async {
    requireOrder(gate)
    await turnstile(gate).enterToCleanUp()
    note(gate, isHeld: true)
  }

  /// Enters if the gate is free. Returns `false` where it is not.
  func tryEnter(_ gate: DeviceGate) -> Bool {
    guard turnstile(gate).tryEnter() else { return false }
    note(gate, isHeld: true)
    return true
  }

  func leave(_ gate: DeviceGate) {
    note(gate, isHeld: false)
    turnstile(gate).leave()
  }

  /// How many tasks wait.
  func waitingCount(_ gate: DeviceGate) -> Int { turnstile(gate).waitingCount }

  private func turnstile(_ gate: DeviceGate) -> Turnstile {
    switch gate {
    case .photo: turnstiles.photo
    case .stream: turnstiles.stream
    case .flash: turnstiles.flash
    case .settings: turnstiles.settings
    }
  }

  private func requireOrder(_ gate: DeviceGate) {
    #if DEBUG
      guard let task = Self.task else { return }
      holders.withLock { holders in
        for (held, holder) in holders where holder == task {
          precondition(held < gate, "the gate '\(gate)' is entered behind '\(held)'")
        }
      }
    #endif
  }

  private func note(_ gate: DeviceGate, isHeld: Bool) {
    #if DEBUG
      holders.withLock { $0[gate] = isHeld ? Self.task : nil }
    #endif
  }

  #if DEBUG
    /// Names the present task; `nil`: there is none.
    private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }
  #endif
}
