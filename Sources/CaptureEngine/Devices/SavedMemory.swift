import CaptureModel

/// The state of a device that a node keeps across its own restarts. Each part of the device keeps its own state there.
final class SavedMemory {
  private let id: CameraID
  private let store: any MemoryStore
  private(set) var memory: CameraMemory

  init(of id: CameraID, in store: any MemoryStore) {
    (self.id, self.store) = (id, store)
    memory = store.memory(of: id)
  }

  func update(_ change: (inout CameraMemory) -> Void) {
    let before = memory
    change(&memory)
    if memory != before { store.save(memory, of: id) }
  }

  /// Returns once everything that was saved would survive a power cut. Throws `unavailable` where the disk could not be written.
  func flush() async throws(CaptureError) { try await store.flush() }
}
