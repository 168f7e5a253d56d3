import CaptureSystem
import Foundation
import Glibc
import Synchronization

/// Measures how late threads of this process get a processor, by threads that only sleep and note how late they are woken. Threads are late when
/// other programs have the processors, or when the host of a virtual machine has taken them, which the machine cannot see otherwise.
package final class LatenessWitness: Sendable {
  /// The processors for which the witness's threads wait.
  package enum Place: Sendable {
    /// One thread, which gets any processor that is free, as the process's other threads do.
    case anyProcessor
    /// One thread on each processor: a thread on one processor does not notice that another processor stands still.
    case eachProcessor
  }

  private let counted = Atomic(0)
  private let isOver = Atomic(false)
  private let sleepers = DispatchGroup()

  /// Each thread is to wake every `step` nanoseconds. When one is woken more than `tolerance` nanoseconds late, `count` gets how many nanoseconds
  /// late it is, and returns the number to add to the witness's count.
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
        // The times count from `start`: a thread that begins late has waited for its processor too.
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

  /// Returns the witness's count since the last call.
  package func take() -> Int { counted.exchange(0, ordering: .relaxed) }

  /// Ends the witness, and waits until each of its threads has been woken. Returns its count since the last ``take()``.
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

/// `sched_setaffinity(2)`: Swift's Glibc leaves it out, since C offers it only with `_GNU_SOURCE`.
@_silgen_name("sched_setaffinity")
private func setAffinity(_ thread: Int32, _ size: Int, _ set: UnsafeRawPointer) -> Int32
