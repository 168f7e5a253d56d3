import CCaptureShims
import CaptureSystem
import Dispatch
import Glibc

/// Calls a handler when a device has events.
///
/// libdispatch registers no EPOLLPRI and spins on EPOLLERR, so the device is watched by an epoll descriptor of our own, and
/// Dispatch watches that. Belongs to one queue.
struct EventWatch {
  private let epoll: SharedDescriptor
  private let device: Int32
  private let source: any DispatchSourceRead

  /// Runs `handler` on `queue` until ``cancel()``. Edge-triggered: EPOLLERR stays up on some devices that do not stream, and would spin.
  init(
    _ descriptor: Int32, on queue: DispatchQueue,
    handler: @escaping @Sendable () -> Void
  ) throws(Errno) {
    device = descriptor
    let epoll = SharedDescriptor(
      OwnedDescriptor(owning: try retryingInterrupts { epoll_create1(Int32(EPOLL_CLOEXEC)) }))
    var event = epoll_event()
    event.events = EPOLLPRI.rawValue | capture_EPOLLET
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
