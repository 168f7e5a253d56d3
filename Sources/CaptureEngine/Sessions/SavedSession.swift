import CaptureModel

/// The state of a named session that outlives the node's run.
struct SavedSession: Sendable {
  let store: any MemoryStore
  let name: String
  /// Changes that wait for the disk take turns, so that a change that fails does not take back another one.
  let storing: Gate

  /// The session as it is stored; `nil`: it is not stored.
  var memory: SessionMemory? { store.sessions[name] }

  /// Stores the session soon; `nil` removes it from the store.
  func save(_ memory: SessionMemory?) { store.save(memory, named: name) }

  /// Stores the session; `nil` removes it from the store. Returns the former state once the new one would survive a power cut. If the new state
  /// cannot be stored, the former one stays, and this throws `unavailable` with `text` and the reason.
  @discardableResult
  func storeDurably(
    _ memory: SessionMemory?, orElse text: String
  ) async throws(CaptureError) -> SessionMemory? {
    // A cancelled task waits for its turn too: a session is to be closed even if its caller has gone. The wait is only for the disk.
    await storing.enterToCleanUp()
    defer { storing.leave() }
    let before = self.memory
    save(memory)
    do throws(CaptureError) {
      try await store.flush()
    } catch {
      // If the session was made again meanwhile, it has stored its present state, which stays.
      if self.memory == memory { save(before) }
      throw error.prefixed(text)
    }
    return before
  }
}
