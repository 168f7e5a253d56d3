import Dispatch
import Synchronization

/// Starts a loop's turns while the loop is away from its thread, with a Dispatch read source on its epoll and a timer source for the first of its
/// timers.
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
  ///   - turns: runs the turns, on the queue.
  ///   - ended: called on the queue after ``cancel()``, once the descriptor is not watched any more.
  func start(turns: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void) {
    source.setEventHandler(handler: turns)
    alarm.setEventHandler(handler: turns)
    source.setCancelHandler(handler: ended)
    source.activate()
    alarm.activate()
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Starts a turn after `nanoseconds`, whatever else happens.
  func wake(after nanoseconds: UInt64) {
    alarm.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
  }

  /// Cancels the sources, once the loop has left its thread.
  func cancel() {
    cancelled.store(true, ordering: .relaxed)
    // The alarm is cancelled before the source, whose handler says that everything has ended: no turn begins after that.
    alarm.cancel()
    source.cancel()
  }
}
