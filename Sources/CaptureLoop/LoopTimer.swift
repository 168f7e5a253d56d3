import CaptureSystem

/// A coarse timer of a loop; the loop sleeps until its first timer is due. Confined to its loop.
package final class LoopTimer {
  private let timers: LoopTimers
  fileprivate let handler: @Sendable () -> Void
  fileprivate var armedFor = UInt64.max

  package convenience init(_ loop: EventLoop, handler: @escaping @Sendable () -> Void) {
    self.init(loop.timers, handler: handler)
  }

  init(_ timers: LoopTimers, handler: @escaping @Sendable () -> Void) {
    self.timers = timers
    self.handler = handler
  }

  /// Fires at `due` (`CLOCK_MONOTONIC` nanoseconds) or earlier: a timer that is armed for an earlier time keeps that time. The handler checks the
  /// time, and arms the timer again if it is too early.
  package func arm(_ due: UInt64) {
    guard due < armedFor else { return }
    armedFor = due
    timers.add(self, due)
  }
}

/// The timers of a loop, by time. Entries of timers that were armed anew or released stay until their time.
///
/// Unchecked: only the loop's thread touches it.
package final class LoopTimers: @unchecked Sendable {
  private struct Reference {
    weak var timer: LoopTimer?
  }
  private var heap = DeadlineHeap<Reference>()

  /// Nanoseconds until the first timer is due; `nil`: there is no timer.
  var wait: UInt64? {
    guard let due = heap.first?.due else { return nil }
    let now = MonotonicClock.now()
    return due > now ? due - now : 0
  }

  fileprivate func add(_ timer: LoopTimer, _ due: UInt64) {
    heap.insert(Reference(timer: timer), due: due)
  }

  /// Calls the timers whose time has come, and returns whether there were any. A timer may be armed again meanwhile.
  func fire(at now: UInt64) -> Bool {
    guard let due = heap.first?.due, due <= now else { return false }
    // A timer that is armed meanwhile waits for the next turn, whatever its time: an event may come before and make it needless.
    var fired: [DeadlineHeap<Reference>.Entry] = []
    while let first = heap.first, first.due <= now { fired.append(heap.removeFirst()) }
    for entry in fired {
      guard let timer = entry.element.timer, timer.armedFor == entry.due else { continue }
      timer.armedFor = .max
      timer.handler()
    }
    return true
  }
}
