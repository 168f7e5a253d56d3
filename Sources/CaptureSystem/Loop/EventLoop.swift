/// A serial queue whose turns begin when a descriptor is ready, a timer is due, or somebody sends it work. As long as more comes, it stays
/// on the queue's thread and waits for it there; a quiet loop has no thread.
package final class EventLoop: Sendable {
  package let serial: QueueExecutor
  package let poll: LoopPoll
  package let timers = LoopTimers()
  private let watch: LoopWatch

  /// How long a loop stays after the last event, nanoseconds. Streams of more than a few frames a second never send it through
  /// Dispatch, which costs two thread switches an event.
  private static let stay: UInt64 = 250_000_000

  /// Takes two descriptors. `hasGuests`: its turns are also those of ``GuestExecutor``s that are called from them. `look`: asked before the loop
  /// sleeps, on its thread, whether something came meanwhile; how many events are ready.
  package init(
    label: String, hasGuests: Bool = false,
    look: @escaping @Sendable (LoopPoll, QueueExecutor) -> Int = { _, _ in 0 }
  ) throws(Errno) {
    let poll = try LoopPoll()
    self.poll = poll
    serial = QueueExecutor(loop: label, hasGuests: hasGuests) { poll.ring() }
    watch = LoopWatch(poll.descriptor, on: serial.queue)
    watch.start { [serial, poll, timers, watch] in
      var isLively = false
      serial.stay {
        var now = MonotonicClock.now()
        poll.endTurn(at: now, without: serial.takeForeignTime())
        var isQuiet = !isLively
        var count = 0
        if poll.isLookDue(at: now) {
          if !poll.hasReady { count = look(poll, serial) }
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
        // What they took is nobody's.
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

  /// Closes its descriptors, once it has left its thread. What is sent to ``serial`` is run all the same; nothing is watched any more.
  package func end() {
    watch.cancel()
    poll.ring()
  }
}
