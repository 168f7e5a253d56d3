import CCaptureShims
import Glibc

/// A thread of a device's own. What may hang in its driver runs there: system calls, and waiting for its descriptor with `poll(2)`, which takes the driver's
/// locks too. No other thread waits for that descriptor, and no epoll has it: a device that the kernel does not let go of holds this thread alone.
///
/// It costs nothing while it waits. It ends once nobody has this object, and what was sent to ``serial`` has run.
package final class DeviceThread: Sendable {
  /// Of actors that live on the thread.
  package let serial: DeviceExecutor

  /// `label` is cut to the 15 bytes that a thread's name has. Takes a descriptor and a thread; throws `EMFILE` or `EAGAIN` where there are none left.
  package init(label: String) throws(Errno) {
    let bell = OwnedDescriptor(
      owning: try retryingInterrupts { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) })
    if DescriptorReserve.streams.has(bell.raw) { throw Errno(rawValue: EMFILE) }
    serial = DeviceExecutor(bell: SharedDescriptor(bell))
    let start = Unmanaged.passRetained(serial)
    var thread = pthread_t()
    // Signals are for Dispatch, which reads them where no thread takes them.
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

  /// Since when it has not answered, `CLOCK_MONOTONIC` nanoseconds: it is in one system call since then, or was called and does not come. `nil`: it owes nothing.
  package var owedSince: UInt64? { serial.owedSince }

  /// Makes a system call of the device. Only on the thread.
  package func calling<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try serial.calling(body) }

  /// A timer of the thread.
  package func timer(_ handler: @escaping @Sendable () -> Void) -> LoopTimer {
    LoopTimer(serial.timers, handler: handler)
  }

  /// Calls `handler` on the thread while `descriptor` has one of `events` (`POLLIN`, `POLLPRI`), an error or a hangup; instead of what it waited for before.
  /// Only on the thread.
  package func watch(_ descriptor: Int32, _ events: Int16, _ handler: @escaping (_ found: Int16) -> Void) {
    serial.watch(descriptor, events, handler)
  }

  /// Comes before the descriptor is closed. Only on the thread.
  package func endWatch() { serial.endWatch() }

  /// Whether the watch pauses: an error that stays would wake the thread without end. Only on the thread.
  package func pauseWatch(_ isPaused: Bool) { serial.pauseWatch(isPaused) }
}
