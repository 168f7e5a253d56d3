import CaptureSystem
import Foundation
import Synchronization

/// Tells how long this process waits for processors: a thread of it wants one every millisecond.
final class ProcessorWitness: Sendable {
  private let waited = Atomic<UInt64>(0)
  private let isOver = Atomic<Bool>(false)
  private let hasEnded = DispatchSemaphore(value: 0)
  /// Nanoseconds.
  private static let step: UInt64 = 1_000_000

  init() {
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        let due = MonotonicClock.now() + Self.step
        usleep(UInt32(Self.step / 1000))
        let late = MonotonicClock.now() - due
        // Timers of a process that has its processors are late by less.
        if late > Self.step { waited.wrappingAdd(late, ordering: .relaxed) }
      }
      hasEnded.signal()
    }
  }

  /// In nanoseconds, since it was asked last.
  func takeWaited() -> UInt64 { waited.exchange(0, ordering: .relaxed) }

  func end() {
    isOver.store(true, ordering: .relaxed)
    hasEnded.wait()
  }
}
