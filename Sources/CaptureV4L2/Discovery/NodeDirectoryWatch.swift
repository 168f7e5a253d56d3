import CaptureSystem
import Dispatch
import Glibc

/// Calls a handler when a video node appears, vanishes or changes its permissions (`inotify(7)` on /dev).
struct NodeDirectoryWatch {
  private let source: any DispatchSourceRead

  init(_ directory: String, on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) throws(Errno) {
    let inotify = SharedDescriptor(
      OwnedDescriptor(owning: try retryingInterrupts { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }))
    let events = UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM)
    _ = try retryingInterrupts { inotify_add_watch(inotify.raw, directory, events) }
    source = DispatchSource.makeReadSource(fileDescriptor: inotify.raw, queue: queue)
    source.setEventHandler { if Self.drain(inotify.raw) { handler() } }
    source.setCancelHandler { withExtendedLifetime(inotify) {} }
    source.activate()
  }

  func cancel() { source.cancel() }

  /// Reads all events. Returns whether one was about a video node, or whether some were lost.
  private static func drain(_ descriptor: Int32) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      let header = MemoryLayout<inotify_event>.size
      var isOurs = false
      while true {
        let count = read(descriptor, buffer.baseAddress!, buffer.count)
        if count <= 0 { return isOurs }
        var offset = 0
        while offset + header <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = UnsafeRawBufferPointer(
            rebasing: buffer[offset + header..<min(count, offset + header + Int(event.len))])
          isOurs = isOurs || event.mask & UInt32(IN_Q_OVERFLOW) != 0 || name.starts(with: "video".utf8)
          offset += header + Int(event.len)
        }
      }
    }
  }
}
