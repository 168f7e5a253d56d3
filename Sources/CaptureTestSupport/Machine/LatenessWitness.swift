import CaptureSystem
import Foundation
import Glibc
import Synchronization

/// Tells how late threads of this process get a processor, since others have them, or the machine's host, of which the machine is not told: threads that
/// only sleep see when they are woken.
package final class LatenessWitness: Sendable {
  /// Where its threads wait for a processor.
  package enum Place: Sendable {
    /// One thread, which gets any processor that is free, as the process's other threads do.
    case anyProcessor
    /// A thread on each processor: of one that stands still another does not tell.
    case eachProcessor
  }

  private let counted = Atomic(0)
  private let isOver = Atomic(false)
  private let sleepers = DispatchGroup()

  /// Each thread is to wake every `step`. Where it is woken later than by `tolerance`, `count` gets how late, and says what to add to the witness's
  /// count. All in nanoseconds.
  package init(
    on place: Place, every step: Int, tolerance: Int, count: @escaping @Sendable (_ late: Int) -> Int
  ) {
    let start = Self.now
    let processors: [Int?] =
      switch place {
      case .anyProcessor: [nil]
      case .eachProcessor: Array(0..<sysconf(Int32(_SC_NPROCESSORS_ONLN)))
      }
    for processor in processors {
      sleepers.enter()
      let thread = Thread { [self] in
        if let processor { Self.stay(on: processor) }
        // From `start` on, since a thread that only begins is as late as its processor.
        var due = start
        while !isOver.load(ordering: .relaxed) {
          due += step
          Self.sleep(until: due)
          let late = Self.now - due
          guard late > tolerance else { continue }
          counted.wrappingAdd(count(late), ordering: .relaxed)
          due += late
        }
        sleepers.leave()
      }
      thread.start()
    }
  }

  /// Its count since this was called last.
  package func take() -> Int { counted.exchange(0, ordering: .relaxed) }

  /// Ends it. Returns its count since ``take()``, once every thread has been woken.
  @discardableResult
  package func end() -> Int {
    isOver.store(true, ordering: .relaxed)
    sleepers.wait()
    return take()
  }

  private static var now: Int { Int(MonotonicClock.now()) }

  private static func sleep(until due: Int) {
    var time = timespec(tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000)
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
  }

  private static func stay(on processor: Int) {
    var set: UInt64 = 1 << UInt64(processor)
    precondition(setAffinity(0, MemoryLayout.size(ofValue: set), &set) == 0)
  }
}

/// `sched_setaffinity(2)`: Swift's Glibc leaves out what C offers with `_GNU_SOURCE` alone.
@_silgen_name("sched_setaffinity")
private func setAffinity(_ thread: Int32, _ size: Int, _ set: UnsafeRawPointer) -> Int32
