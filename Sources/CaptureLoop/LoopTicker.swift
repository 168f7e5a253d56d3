import CCaptureShims
import CaptureSystem
import Glibc

/// Fires at a given time and then once a period, without drift: a `timerfd` that a loop watches. Confined to the loop.
package final class LoopTicker: LoopSource {
  private let descriptor: Int32
  private let loop: EventLoop
  private var place: LoopPoll.Place?
  private let tick: () -> Void

  /// Takes a descriptor. Throws `EMFILE` where it would be inside the streams' reserve.
  package init(_ loop: EventLoop, tick: @escaping () -> Void) throws(Errno) {
    descriptor = try DescriptorReserve.streams.descriptor {
      timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
    }.release()
    self.loop = loop
    self.tick = tick
    do throws(Errno) {
      place = try loop.poll.add(descriptor, self)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    guard let place else { return }
    // The last reference may go away on any thread. The loop lets go of the descriptor before its number is used again.
    loop.serial.async { [descriptor, loop] in
      loop.poll.remove(place)
      close(descriptor)
    }
  }

  /// Fires at `first` (`CLOCK_MONOTONIC` nanoseconds) and every `period` nanoseconds after it. It replaces the times that were set before.
  package func start(at first: UInt64, period: UInt64) {
    var times = itimerspec(it_interval: Self.time(period), it_value: Self.time(max(first, 1)))
    timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &times, nil)
  }

  package func cancel() {
    guard let place = place.take() else { return }
    loop.poll.remove(place)
    close(descriptor)
  }

  package func ready(_ readiness: Readiness) {
    var expirations: UInt64 = 0
    // Without this read the descriptor would stay readable, and the loop would call this again and again.
    guard read(descriptor, &expirations, 8) == 8 else { return }
    tick()
  }

  private static func time(_ nanoseconds: UInt64) -> timespec {
    timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
