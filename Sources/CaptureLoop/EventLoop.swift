import CaptureSystem

/// A serial queue whose turns begin when a descriptor is ready, a timer is due, or another thread sends work. While events keep coming, the loop stays
/// on the queue's thread and waits there; an idle loop has no thread.
package final class EventLoop: Sendable {
  package let serial: QueueExecutor
  package let poll: LoopPoll
  package let timers = LoopTimers()
  private let watch: LoopWatch

  /// How many nanoseconds a loop stays after the last event. A stream of more than a few frames a second therefore never sends it through Dispatch,
  /// which costs two thread switches an event.
  private static let stay: UInt64 = 250_000_000

  /// Takes two descriptors. `runsInlineExecutors`: whether ``InlineExecutor``s that are called in its turns run in them too. `moved`: returns how many bytes the turn before
  /// has read and written, on the loop's thread. The loop polls for a moment before it sleeps where an answer may be on its way (``PollPolicy``).
  package init(
    label: String, runsInlineExecutors: Bool = false,
    moved: @escaping @Sendable () -> (read: Int, written: Int) = { (0, 0) }
  ) throws(Errno) {
    let poll = try LoopPoll()
    self.poll = poll
    serial = QueueExecutor(loop: label, runsInlineExecutors: runsInlineExecutors) { poll.ring() }
    watch = LoopWatch(poll.descriptor, on: serial.queue)
    watch.start { [serial, poll, timers, watch] in
      var isLively = false
      serial.stay {
        var now = MonotonicClock.now()
        poll.endTurn(at: now, without: serial.takeForeignTime())
        var isQuiet = !isLively
        var count = 0
        if poll.isLookDue(at: now) {
          if !poll.hasReady { count = poll.look(after: moved()) { serial.isCalled } }
          if count == 0 {
            count = serial.rest { mayWait in
              guard mayWait, isLively, !poll.hasReady else { return poll.wait(nanoseconds: 0) }
              let due = timers.wait ?? .max
              isQuiet = due >= Self.stay
              return poll.wait(nanoseconds: min(due, Self.stay))
            }
          }
          now = MonotonicClock.now()
          poll.collect(count, at: now)
        }
        let hasFired = timers.fire()
        // The time that timers took is charged to no account.
        if hasFired { now = MonotonicClock.now() }
        let hasServed = poll.serve(at: now)
        isLively = (count > 0 || hasServed || !isQuiet) && !watch.isCancelled
        guard !isLively, !hasFired, serial.leave() else { return true }
        if let wait = timers.wait { watch.wake(after: wait) }
        return false
      }
    } ended: { [serial, poll] in
      serial.endLoop()
      poll.close()
    }
  }

  deinit { end() }

  /// Closes the loop's descriptors once the loop has left its thread. Jobs that are sent to ``serial`` still run, but nothing is watched any more.
  package func end() {
    watch.cancel()
    poll.ring()
  }
}
