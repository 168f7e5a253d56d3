import CaptureSystem
import Foundation
import Glibc
import Synchronization
import Testing

/// How many frames a camera that is driven by a clock has to skip because the machine's host has no processor for it, of which the
/// machine is not told: on each processor a thread that only sleeps counts when it is woken more than half a frame late, from where
/// on vivid skips one.
private final class Lateness: Sendable {
  private static let step = 2_000_000
  private let skipped = Atomic(0)
  private let isOver = Atomic(false)
  private let sleepers = DispatchGroup()

  /// `frame`: nanoseconds.
  init(frame: Int) {
    let start = Self.now
    for processor in 0..<sysconf(Int32(_SC_NPROCESSORS_ONLN)) {
      sleepers.enter()
      let thread = Thread { [self] in
        Self.stay(on: processor)
        watch(frame, from: start)
        sleepers.leave()
      }
      thread.start()
    }
  }

  /// Frames that were lost to the host, once every sleeper has been woken.
  func end() -> Int {
    isOver.store(true, ordering: .relaxed)
    sleepers.wait()
    return skipped.load(ordering: .relaxed)
  }

  /// It counts from `start`, since a thread that only begins is as late as its processor.
  private func watch(_ frame: Int, from start: Int) {
    var due = start
    while !isOver.load(ordering: .relaxed) {
      due += Self.step
      var time = timespec(tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000)
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
      let late = Self.now - due
      // It may have been due up to a step before this sleep ended.
      guard late > frame / 2 - Self.step else { continue }
      skipped.wrappingAdd(1 + late / frame, ordering: .relaxed)
      due += late
    }
  }

  private static var now: Int { Int(MonotonicClock.now()) }

  private static func stay(on processor: Int) {
    var set: UInt64 = 1 << UInt64(processor)
    precondition(setAffinity(0, MemoryLayout.size(ofValue: set), &set) == 0)
  }
}

/// `sched_setaffinity(2)`: Swift's Glibc leaves out what C offers with `_GNU_SOURCE` alone.
@_silgen_name("sched_setaffinity")
private func setAffinity(_ thread: Int32, _ size: Int, _ set: UnsafeRawPointer) -> Int32

/// Frames of a stream at `rate` that a camera driven by a clock must not lose: again, and says so, where some were lost but no more than the
/// machine was too late for; more than that fails. `lost` streams once and returns how many were.
func losesNoFrame(at rate: Int, _ lost: () async throws -> UInt64) async throws {
  for _ in 1...5 {
    let lateness = Lateness(frame: 1_000_000_000 / rate)
    let frames: UInt64
    do {
      frames = try await lost()
    } catch {
      _ = lateness.end()
      throw error
    }
    let excused = lateness.end()
    guard frames > 0 else { return }
    try #require(frames <= excused, "\(frames) frames were lost, and the machine was too late for \(excused)")
    print("again: \(frames) frames were lost, and the machine was too late for \(excused)")
  }
}
