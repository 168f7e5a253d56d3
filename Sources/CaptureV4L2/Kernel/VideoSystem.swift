import CCaptureShims
import CaptureLoop
import CaptureSystem
import Glibc

/// The system calls that this backend makes on a video node. A test replaces them to force EINTR, ENODEV or an imaginary driver.
struct VideoSystem: Sendable {
  /// `open(2)`, always with `O_RDWR | O_NONBLOCK | O_CLOEXEC`.
  var open: @Sendable (_ path: String) throws(Errno) -> Int32
  /// `close(2)`. It can block while the driver cleans up.
  var close: @Sendable (_ descriptor: Int32) -> Void
  /// `ioctl(2)` with a pointer.
  var ioctl:
    @Sendable (_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) throws(Errno) ->
      Void
  /// `mmap(2)`, shared and for reading.
  var map:
    @Sendable (_ descriptor: Int32, _ length: Int, _ offset: Int) throws(Errno) -> UnsafeMutableRawPointer
  /// `munmap(2)`.
  var unmap: @Sendable (_ address: UnsafeMutableRawPointer, _ length: Int) -> Void
  /// `poll(2)` without waiting. Returns which of `events`, POLLERR and POLLHUP are pending.
  var poll: @Sendable (_ descriptor: Int32, _ events: Int16) throws(Errno) -> Int16

  /// The kernel's calls.
  static let live = VideoSystem(
    open: { path throws(Errno) in
      let descriptor = capture_open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0)
      guard descriptor >= 0 else { throw Errno.current }
      return descriptor
    },
    close: { descriptor in _ = Glibc.close(descriptor) },
    ioctl: { descriptor, request, argument throws(Errno) in
      guard capture_ioctl(descriptor, request, argument) >= 0 else { throw Errno.current }
    },
    map: { descriptor, length, offset throws(Errno) in
      let address = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, offset)
      guard let address, address != MAP_FAILED else { throw Errno.current }
      return address
    },
    unmap: { address, length in _ = munmap(address, length) },
    poll: { descriptor, events throws(Errno) in
      var entry = pollfd(fd: descriptor, events: events, revents: 0)
      guard Glibc.poll(&entry, 1, 0) >= 0 else { throw Errno.current }
      return entry.revents
    }
  )
}

extension VideoSystem {
  /// These calls, made on `thread`, which measures how long each takes.
  func called(on thread: DeviceThread) -> VideoSystem {
    VideoSystem(
      open: { [open] path throws(Errno) in
        try thread.calling { () throws(Errno) in try open(path) }
      },
      close: { [close] descriptor in thread.calling { close(descriptor) } },
      ioctl: { [ioctl] descriptor, request, argument throws(Errno) in
        try thread.calling { () throws(Errno) in try ioctl(descriptor, request, argument) }
      },
      map: { [map] descriptor, length, offset throws(Errno) in
        try thread.calling { () throws(Errno) in try map(descriptor, length, offset) }
      },
      unmap: { [unmap] address, length in thread.calling { unmap(address, length) } },
      poll: { [poll] descriptor, events throws(Errno) in
        try thread.calling { () throws(Errno) in try poll(descriptor, events) }
      })
  }
}
