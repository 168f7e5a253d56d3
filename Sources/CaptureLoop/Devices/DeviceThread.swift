import CCaptureShims
import CaptureSystem
import Glibc

/// A thread for one device. Everything that may hang in the device's driver runs there: system calls, and waiting for the descriptor with `poll(2)`,
/// which takes the driver's locks too. No other thread waits for that descriptor, and it is in no epoll. So a system call that never returns holds up
/// this thread alone.
///
/// The thread costs nothing while it waits. It ends once nobody holds this object and all jobs that were sent to ``serial`` have run.
package final class DeviceThread: Sendable {
  /// The executor of actors that live on the thread.
  package let serial: DeviceExecutor

  /// The thread's name is `label`, cut to the 15 bytes that such a name can have. This takes a descriptor and a thread, and throws `EMFILE` or
  /// `EAGAIN` where none is left.
  package init(label: String) throws(Errno) {
    let bell = try DescriptorReserve.streams.descriptor {
      eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    }
    serial = DeviceExecutor(bell: SharedDescriptor(bell))
    let start = Unmanaged.passRetained(serial)
    var thread = pthread_t()
    // The thread blocks all signals: Dispatch reads those of the process, and would not see one that a thread has taken.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let failure = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<DeviceExecutor>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    guard failure == 0 else {
      start.release()
      throw Errno(rawValue: failure)
    }
    capture_name_thread(thread, String(decoding: label.utf8.prefix(15), as: UTF8.self))
    pthread_detach(thread)
  }

  deinit { serial.end() }

  /// Since when the thread has not answered, in `CLOCK_MONOTONIC` nanoseconds: it has been in one system call since then, or was woken
  /// then and does not run yet. `nil`: it is not waiting for its driver.
  package var unansweredSince: UInt64? { serial.unansweredSince }

  /// Makes a system call on the device. Only on the thread.
  package func calling<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try serial.calling(body) }

  /// Makes a timer that fires on the thread.
  package func timer(_ handler: @escaping @Sendable () -> Void) -> LoopTimer {
    LoopTimer(serial.timers, handler: handler)
  }

  /// Calls `handler` on the thread while `descriptor` has one of `events` (`POLLIN`, `POLLPRI`), an error or a hangup. It replaces an earlier watch.
  /// Only on the thread.
  package func watch(_ descriptor: Int32, _ events: Int16, _ handler: @escaping (_ found: Int16) -> Void) {
    serial.watch(descriptor, events, handler)
  }

  /// Ends the watch. Call it before the descriptor is closed. Only on the thread.
  package func endWatch() { serial.endWatch() }

  /// Pauses the watch, or resumes it. A watch is paused for an error that stays, which would wake the thread without end. Only on the thread.
  package func pauseWatch(_ isPaused: Bool) { serial.pauseWatch(isPaused) }
}
