import CCaptureShims
import CaptureSystem
import Glibc
import Synchronization

/// Runs the jobs that are sent to a ``DeviceThread``, one after the other. Between jobs it waits for the device.
///
/// Unchecked: only the thread touches the watch and the timers.
package final class DeviceExecutor: SerialExecutor, @unchecked Sendable {
  let timers = LoopTimers()
  private let bell: SharedDescriptor
  private let inbox: LoopInbox
  /// The thread's number; 0 until it runs.
  private let thread = Atomic<UInt>(0)
  private let isEnding = Atomic<Bool>(false)
  /// When the thread's current system call began; 0: it is in none.
  private let began = Atomic<UInt64>(0)
  /// When the thread was woken, until it runs; 0: it was not woken, or it runs.
  private let woken: WakeTime
  private var watched: Watch?

  private struct Watch {
    var descriptor: Int32
    var events: Int16
    var isPaused = false
    var handler: (Int16) -> Void
  }

  /// Shared with the inbox, which wakes the thread.
  private final class WakeTime: Sendable { let time = Atomic<UInt64>(0) }

  init(bell: SharedDescriptor) {
    self.bell = bell
    let woken = WakeTime()
    self.woken = woken
    inbox = LoopInbox {
      woken.time.store(MonotonicClock.now(), ordering: .relaxed)
      eventfd_write(bell.raw, 1)
    }
  }

  // MARK: From anywhere

  /// Whether the caller runs on the thread.
  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  package func enqueue(_ job: consuming ExecutorJob) { _ = inbox.put(.job(.own(UnownedJob(job)))) }

  /// Runs `body` on the thread, behind the jobs that were sent before it.
  package func async(_ body: @escaping @Sendable () -> Void) { _ = inbox.put(.block(body)) }

  package func checkIsolated() { precondition(isCurrent, "not on the device's thread") }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  var unansweredSince: UInt64? {
    let times = [began.load(ordering: .relaxed), woken.time.load(ordering: .relaxed)]
    return times.filter { $0 > 0 }.min()
  }

  /// Ends the thread once no job is left.
  func end() {
    isEnding.store(true, ordering: .releasing)
    eventfd_write(bell.raw, 1)
  }

  // MARK: On the thread

  func calling<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    began.store(MonotonicClock.now(), ordering: .relaxed)
    defer { began.store(0, ordering: .relaxed) }
    return try body()
  }

  func watch(_ descriptor: Int32, _ events: Int16, _ handler: @escaping (Int16) -> Void) {
    watched = Watch(descriptor: descriptor, events: events, handler: handler)
  }

  func endWatch() { watched = nil }

  func pauseWatch(_ isPaused: Bool) { watched?.isPaused = isPaused }

  func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    while true {
      let found = inbox.whileWaiting { mayWait in wait(mayWait ? timers.wait : 0) }
      // The thread runs again.
      woken.time.store(0, ordering: .relaxed)
      if found != 0, let handler = watched?.handler { handler(found) }
      _ = timers.fire(at: MonotonicClock.now())
      for item in inbox.take() { perform(item) }
      if isEnding.load(ordering: .acquiring), inbox.isEmpty { break }
    }
    // No other thread can send anything any more.
    watched = nil
    _ = inbox.close()
  }

  private func perform(_ item: LoopInbox.Item) {
    switch item {
    case .block(let body): body()
    case .job(.own(let job)): job.runSynchronously(on: asUnownedSerialExecutor())
    case .job: preconditionFailure("a device's thread has neither inline executors nor tasks of its own")
    }
  }

  /// Waits for the device or the bell, and returns the device's events; 0: none. `nanoseconds`: for how long at most; `nil`: without a limit.
  private func wait(_ nanoseconds: UInt64?) -> Int16 {
    var entries = (
      pollfd(fd: bell.raw, events: Int16(POLLIN), revents: 0),
      pollfd(fd: -1, events: 0, revents: 0)
    )
    if let watched, !watched.isPaused {
      entries.1 = pollfd(fd: watched.descriptor, events: watched.events, revents: 0)
    }
    let count = withUnsafeMutablePointer(to: &entries) { entries in
      entries.withMemoryRebound(to: pollfd.self, capacity: 2) {
        capture_poll($0, 2, nanoseconds.map { Int64(clamping: $0) } ?? -1)
      }
    }
    guard count > 0 else { return 0 }
    if entries.0.revents != 0 {
      var rings: UInt64 = 0
      _ = eventfd_read(bell.raw, &rings)
    }
    return entries.1.revents
  }
}
