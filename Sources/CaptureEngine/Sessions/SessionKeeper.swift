import CaptureModel

/// Keeps a session that has a name across restarts of the node.
struct SessionKeeper: Sendable {
  let store: any MemoryStore
  let name: String

  /// As it is kept; `nil`: it is not.
  var memory: SessionMemory? { store.sessions[name] }

  /// Soon; `nil` forgets it.
  func keep(_ memory: SessionMemory?) { store.keep(memory, named: name) }

  /// Returns once it outlives a power cut. Where it cannot, what was kept before stays, and this throws `unavailable`, as `text` and why.
  func keepForSure(_ memory: SessionMemory?, orElse text: String) async throws(CaptureError) {
    let before = self.memory
    keep(memory)
    do throws(CaptureError) {
      try await store.flush()
    } catch {
      keep(before)
      throw error.prefixed(text)
    }
  }
}
