import CaptureEngine

/// Stores what a node must not forget: the engine's cameras and sessions, and the node's jobs.
public protocol NodeStore: MemoryStore, JobStore {
  /// Stores nothing from here on, and lets another node use the store.
  func close() async
}

extension DiscardingStore: NodeStore {
  public var jobs: [String: JobMemory] { [:] }
  public func save(_ job: JobMemory?, job name: String) {}
  public func close() async {}
}
