import CCaptureShims
import CaptureSystem
import Dispatch
import Glibc

/// Calls a handler while a device has something pending.
///
/// libdispatch registers no EPOLLPRI and spins on EPOLLERR, so the device is watched by an epoll descriptor of our own, and
/// Dispatch watches that. Belongs to one queue.
struct ReadinessWatch {
  private let epoll: SharedDescriptor
  private let device: Int32
  private let source: any DispatchSourceRead

  enum Interest {
    /// Frames of a device that streams, and its end. Level-triggered.
    case frames
    /// Events, and the device's end. Edge-triggered: EPOLLERR stays up on some devices that do not stream, and would spin.
    case events

    fileprivate var mask: UInt32 {
      switch self {
      case .frames: EPOLLIN.rawValue | EPOLLPRI.rawValue
      case .events: EPOLLPRI.rawValue | capture_EPOLLET
      }
    }
  }

  /// Runs `handler` on `queue` until ``cancel()``.
  init(
    _ descriptor: Int32, for interest: Interest, on queue: DispatchQueue,
    handler: @escaping @Sendable () -> Void
  ) throws(Errno) {
    device = descriptor
    let epoll = SharedDescriptor(
      OwnedDescriptor(owning: try retryingInterrupts { epoll_create1(Int32(EPOLL_CLOEXEC)) }))
    var event = epoll_event()
    event.events = interest.mask
    _ = try retryingInterrupts { epoll_ctl(epoll.raw, EPOLL_CTL_ADD, descriptor, &event) }
    self.epoll = epoll
    source = DispatchSource.makeReadSource(fileDescriptor: epoll.raw, queue: queue)
    source.setEventHandler {
      var ready = epoll_event()
      guard epoll_wait(epoll.raw, &ready, 1, 0) > 0 else { return }
      handler()
    }
    source.setCancelHandler { withExtendedLifetime(epoll) {} }
    source.activate()
  }

  /// Ends it. To be called before the device's descriptor is closed: a mapping keeps the open file alive, and epoll with it.
  consuming func cancel() {
    epoll_ctl(epoll.raw, EPOLL_CTL_DEL, device, nil)
    source.cancel()
  }
}
