import CaptureLoop
import CaptureModel

/// Runs work that waits for a disk, one piece after the other, on a thread of its own.
actor WorkQueue {
  let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(label: String) { executor = QueueExecutor(label: label, threads: .own) }

  func run<R: Sendable>(_ body: @Sendable () throws(CaptureError) -> R) throws(CaptureError) -> R {
    try body()
  }
}
