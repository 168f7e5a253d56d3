import Synchronization

/// Debug builds note which task holds which gate.
extension Gate {
  /// Traps where the present task holds a gate of this kind or of a later one: it could wait for itself, or for a task that waits for it.
  func requireOrder() {
    #if DEBUG
      guard let task = Self.task else { return }
      Self.holders.withLock { holders in
        for (held, holder) in holders.values.joined() where holder == task {
          precondition(held < kind, "the gate '\(kind)' is entered after '\(held)'")
        }
      }
    #endif
  }

  func note(isHeld: Bool) {
    #if DEBUG
      let task = Self.task
      Self.holders.withLock { holders in
        var own = holders[ObjectIdentifier(self)] ?? []
        if !isHeld {
          // Another task may leave than the one that entered.
          let place = own.firstIndex { $0.task == task } ?? own.indices.first
          if let place { own.remove(at: place) }
        } else if let task {
          own.append((kind, task))
        }
        holders[ObjectIdentifier(self)] = own.isEmpty ? nil : own
      }
    #endif
  }

  #if DEBUG
    private static let holders = Mutex<[ObjectIdentifier: [(kind: Kind, task: Int)]]>([:])

    /// Names the present task; `nil`: there is none.
    private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }
  #endif
}
