import Dispatch
import Synchronization

/// What begins a loop's turns while the loop is away: a Dispatch read source on its epoll, and a timer source for the first of its timers.
///
/// Unchecked: Dispatch's sources may be used from any thread.
final class LoopWatch: @unchecked Sendable {
  private let source: any DispatchSourceRead
  private let alarm: any DispatchSourceTimer
  private let cancelled = Atomic<Bool>(false)

  init(_ descriptor: Int32, on queue: DispatchQueue) {
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    alarm = DispatchSource.makeTimerSource(queue: queue)
  }

  /// - Parameters:
  ///   - turns: runs them, on the queue.
  ///   - ended: the descriptor is not watched any more; after ``cancel()``, on the queue.
  func start(turns: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void) {
    source.setEventHandler(handler: turns)
    alarm.setEventHandler(handler: turns)
    source.setCancelHandler(handler: ended)
    source.activate()
    alarm.activate()
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Begins a turn after so many nanoseconds, whatever else happens.
  func wake(after nanoseconds: UInt64) {
    alarm.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
  }

  /// Ends what was started, once the loop has left its thread.
  func cancel() {
    cancelled.store(true, ordering: .relaxed)
    // Before the source, which says that all has ended: no turn begins behind that.
    alarm.cancel()
    source.cancel()
  }
}
