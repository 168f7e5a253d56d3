import CaptureModel

/// The state of a named session that outlives the node's run.
struct SavedSession: Sendable {
  let store: any MemoryStore
  let name: String

  /// The session as it is stored; `nil`: it is not.
  var memory: SessionMemory? { store.sessions[name] }

  /// Stores it soon; `nil` removes it.
  func save(_ memory: SessionMemory?) { store.save(memory, named: name) }

  /// Returns once it would survive a power cut. If it cannot be stored, the former state stays, and this throws `unavailable` with `text` and the
  /// reason.
  func storeDurably(_ memory: SessionMemory?, orElse text: String) async throws(CaptureError) {
    let before = self.memory
    save(memory)
    do throws(CaptureError) {
      try await store.flush()
    } catch {
      save(before)
      throw error.prefixed(text)
    }
  }
}
