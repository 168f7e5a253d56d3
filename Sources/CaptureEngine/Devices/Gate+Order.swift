import Synchronization

/// Debug builds note which task holds which gate.
extension Gate {
  /// Traps where the present task holds a gate of this kind or of a later one: it could wait for itself, or for a task that waits for it.
  func requireOrder() {
    #if DEBUG
      guard let task = Self.task else { return }
      Self.holders.withLock { holders in
        for (held, holder) in holders.values where holder == task {
          precondition(held < kind, "the gate '\(kind)' is entered after '\(held)'")
        }
      }
    #endif
  }

  func note(isHeld: Bool) {
    #if DEBUG
      let holder = isHeld ? Self.task.map { (kind, $0) } : nil
      Self.holders.withLock { $0[ObjectIdentifier(self)] = holder }
    #endif
  }

  #if DEBUG
    private static let holders = Mutex<[ObjectIdentifier: (kind: Kind, task: Int)]>([:])

    /// Names the present task; `nil`: there is none.
    private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }
  #endif
}
