import CCaptureShims
import CaptureSystem
import Glibc

/// Watches a loop's sockets from its own thread.
///
/// Dispatch needs two thread switches for each event: its manager waits, and wakes a worker. While messages come in quick succession the
/// loop waits here for a moment, and is woken with one.
final class LoopPoll: Sendable {
  private let epoll: Int32
  private let doorbell: Int32

  init() {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    doorbell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    // Without descriptors to spare there is no waiting here.
    guard epoll >= 0, doorbell >= 0 else { return }
    // Each ring is an edge: nothing has to be read.
    watch(doorbell, EPOLLIN.rawValue | EPOLLET.rawValue)
  }

  deinit {
    if epoll >= 0 { close(epoll) }
    if doorbell >= 0 { close(doorbell) }
  }

  /// Until the descriptor is closed.
  func watch(_ descriptor: Int32) { watch(descriptor, EPOLLIN.rawValue) }

  func change(_ descriptor: Int32, to readiness: SocketReadiness) {
    var event = epoll_event(events: readiness.rawValue, data: epoll_data_t(fd: descriptor))
    epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
  }

  private func watch(_ descriptor: Int32, _ events: UInt32) {
    var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
  }

  func ring() { eventfd_write(doorbell, 1) }

  /// Waits until `descriptor` is ready. Empty: something else is to be done, or nothing came in time.
  func wait(for descriptor: Int32, nanoseconds: Int) -> SocketReadiness {
    var events = (epoll_event(), epoll_event())
    var timeout = timespec(tv_sec: 0, tv_nsec: nanoseconds)
    let count = withUnsafeMutablePointer(to: &events) { pointer in
      pointer.withMemoryRebound(to: epoll_event.self, capacity: 2) {
        epoll_pwait2(epoll, $0, 2, &timeout, nil)
      }
    }
    guard count == 1, events.0.data.fd == descriptor else { return [] }
    // An error or a hangup shows when it is read.
    let ready = SocketReadiness(rawValue: events.0.events)
    return ready.isDisjoint(with: [.readable, .writable]) ? .readable : ready
  }
}

/// What a socket is ready for. Corresponds to `EPOLLIN` and `EPOLLOUT`.
struct SocketReadiness: OptionSet {
  let rawValue: UInt32
  static let readable = SocketReadiness(rawValue: EPOLLIN.rawValue)
  static let writable = SocketReadiness(rawValue: EPOLLOUT.rawValue)
}
