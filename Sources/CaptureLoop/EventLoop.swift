import CaptureSystem

/// A serial queue whose turns begin when a descriptor is ready, a timer is due, or another thread sends work. While events keep coming, the loop
/// stays on the queue's thread and waits there; an idle loop has no thread.
package final class EventLoop: Sendable {
  package let serial: QueueExecutor
  package let poll: LoopPoll
  package let timers = LoopTimers()
  private let watch: LoopWatch

  /// Takes two descriptors. Where an answer may be on its way, the loop polls for a moment before it sleeps (``PollPolicy``).
  /// - Parameters:
  ///   - runsInlineExecutors: whether an ``InlineExecutor`` that is called in one of the loop's turns runs in that turn.
  ///   - moved: returns how many bytes the last turn has read and written. Called on the loop's thread.
  package init(
    label: String, runsInlineExecutors: Bool = false,
    moved: @escaping @Sendable () -> (read: Int, written: Int) = { (0, 0) }
  ) throws(Errno) {
    let poll = try LoopPoll()
    self.poll = poll
    serial = QueueExecutor(loop: label, runsInlineExecutors: runsInlineExecutors) { poll.ring() }
    watch = LoopWatch(poll.descriptor, on: serial.queue)
    watch.start { [serial, poll, timers, watch] in
      var turns = LoopTurns(serial: serial, poll: poll, timers: timers, watch: watch, moved: moved)
      serial.stay { turns.runNext() }
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

/// The turns of a loop, from the moment at which it gets the queue's thread until it leaves the thread.
private struct LoopTurns {
  let serial: QueueExecutor
  let poll: LoopPoll
  let timers: LoopTimers
  let watch: LoopWatch
  let moved: @Sendable () -> (read: Int, written: Int)
  /// Whether the loop stays on the thread if nothing happens now.
  private var isLively = false
  /// How many jobs the loop had been given when sources were last called that caused some: the calls' jobs are the last of them.
  private var callsJobs: UInt64 = 0

  /// How many nanoseconds a loop stays on its thread after the last event. So it does not leave the thread during a stream of more than a few frames
  /// a second: an event that comes through Dispatch costs two thread switches.
  private static let stay: UInt64 = 250_000_000

  init(
    serial: QueueExecutor, poll: LoopPoll, timers: LoopTimers, watch: LoopWatch,
    moved: @escaping @Sendable () -> (read: Int, written: Int)
  ) {
    (self.serial, self.poll, self.timers, self.watch, self.moved) = (serial, poll, timers, watch, moved)
  }

  /// Begins a turn: asks for events, fires timers and serves an account. The turn's jobs and endings run after this
  /// (``QueueExecutor/stay(while:)``). Returns `false` if the loop leaves the thread.
  mutating func runNext() -> Bool {
    var now = MonotonicClock.now()
    let hasWork = serial.startedJobs < callsJobs
    poll.endTurn(at: now, without: serial.takeForeignTime(), goesOn: hasWork)
    var stayedIdle = false
    var count = 0
    if poll.isCollectionDue(at: now) {
      if !poll.hasReady, serial.startedJobs == serial.givenJobs {
        count = poll.spin(after: moved()) { serial.isCalled }
      }
      if count == 0 { (count, stayedIdle) = waitForEvents() }
      now = MonotonicClock.now()
      poll.collect(count, at: now)
    }
    let hasFired = timers.fire(at: now)
    // The time that timers took is charged to no account.
    if hasFired { now = MonotonicClock.now() }
    let given = serial.givenJobs
    let hasServed = poll.serve(at: now, hasWork: hasWork)
    if !hasWork, serial.givenJobs != given { callsJobs = serial.givenJobs }
    isLively = (count > 0 || hasServed || isLively && !stayedIdle) && !watch.isCancelled
    guard !isLively, !hasFired, serial.leave() else { return true }
    if let wait = timers.wait { watch.wake(after: wait) }
    return false
  }

  /// Waits for events, unless there is work already. Returns how many sources are ready, and whether none became ready in a whole ``stay``.
  private func waitForEvents() -> (count: Int, stayedIdle: Bool) {
    serial.waitForEvents { mayWait in
      guard mayWait, isLively, !poll.hasReady else { return (poll.wait(nanoseconds: 0), false) }
      let due = timers.wait ?? .max
      let count = poll.wait(nanoseconds: min(due, Self.stay))
      return (count, count <= 0 && due >= Self.stay)
    }
  }
}
