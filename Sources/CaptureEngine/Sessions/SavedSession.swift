import CaptureModel

/// The state of a named session that outlives the node's run.
struct SavedSession: Sendable {
  let store: any MemoryStore
  let name: String
  /// Changes that wait for the disk take turns, so that none takes back another's.
  let storing: Gate

  /// The session as it is stored; `nil`: it is not.
  var memory: SessionMemory? { store.sessions[name] }

  /// Stores it soon; `nil` removes it.
  func save(_ memory: SessionMemory?) { store.save(memory, named: name) }

  /// Returns the former state, once the new one would survive a power cut. If it cannot be stored, the former one stays, and this throws `unavailable`
  /// with `text` and the reason.
  @discardableResult
  func storeDurably(
    _ memory: SessionMemory?, orElse text: String
  ) async throws(CaptureError) -> SessionMemory? {
    // Whoever closes a session may have gone by now; it is to be closed all the same. The others wait for no more than the disk.
    await storing.enterToCleanUp()
    defer { storing.leave() }
    let before = self.memory
    save(memory)
    do throws(CaptureError) {
      try await store.flush()
    } catch {
      // A session that was made again meanwhile has stored what it is by now.
      if self.memory == memory { save(before) }
      throw error.prefixed(text)
    }
    return before
  }
}
