import CaptureLoop
import CaptureModel

/// A connection to the index. It has a queue of its own, since it may have to wait for the disk.
actor IndexQueue {
  private let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let index: LibraryIndex

  init(label: String, _ index: sending LibraryIndex) {
    executor = QueueExecutor(label: label, threads: .own)
    self.index = index
  }

  func run<R: Sendable>(
    _ body: @Sendable (LibraryIndex) throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    try body(index)
  }
}
