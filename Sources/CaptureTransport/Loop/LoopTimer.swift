import CaptureSystem
import Dispatch

/// One coarse timer that sleeps until the next thing is due. Confined to its loop.
final class LoopTimer {
  private let source: any DispatchSourceTimer
  private var armedFor = UInt64.max

  init(_ loop: QueueExecutor, handler: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: loop.queue)
    source.setEventHandler { loop.run(handler) }
    source.activate()
  }

  deinit { source.cancel() }

  /// Fires at `due` (`CLOCK_MONOTONIC` nanoseconds) or earlier. Later times do not move it: whoever is woken asks again.
  func arm(_ due: UInt64, now: UInt64) {
    guard due < armedFor else { return }
    armedFor = due
    let delay = Int(min(due > now ? due - now : 0, 1 << 50))
    source.schedule(deadline: .now() + .nanoseconds(delay), leeway: .nanoseconds(min(delay / 50, 50_000_000)))
  }

  /// It fired.
  func fired() { armedFor = .max }
}
