import CaptureSystem
import CaptureWire
import Dispatch
import Synchronization

/// A serial queue that many connections share, with the memory that each uses only while it runs.
public final class TransportLoop: Sendable {
  /// Tasks that prefer it (`withTaskExecutorPreference`) call on the loop's connections without a hop.
  public let executor: QueueTaskExecutor
  let serial: QueueExecutor
  let memory = LoopMemory()
  private let poll: LoopPoll
  /// When a socket was last served, nanoseconds.
  private let lastServed = Atomic<UInt64>(0)

  public init(label: String = "capture.transport") {
    let poll = LoopPoll()
    self.poll = poll
    // It waits for sockets on its thread.
    serial = QueueExecutor(label: label, threads: .own) { poll.ring() }
    executor = QueueTaskExecutor(serial)
  }

  var queue: DispatchQueue { serial.queue }

  /// A socket is worth waiting for when the one before came so recently, nanoseconds.
  private static let recent: UInt64 = 1_000_000
  /// How long the next message is waited for, and how long the loop stays away from Dispatch in all.
  private static let patience = 200_000
  private static let stay: UInt64 = 1_000_000

  /// Has ``serve(_:first:wants:_:)`` notice when the socket has something to read.
  func watch(_ descriptor: Int32) { poll.watch(descriptor) }

  /// A socket is ready: a turn for it, and while messages come in quick succession and nothing else is to be done, further ones.
  /// - Parameter wants: what is waited for; empty once the socket is closed.
  func serve(
    _ descriptor: Int32, first: SocketReadiness, wants: () -> SocketReadiness,
    _ turn: (SocketReadiness) -> Void
  ) {
    serial.run { turn(first) }
    let start = MonotonicClock.now()
    let previous = lastServed.exchange(start, ordering: .relaxed)
    guard start &- previous < Self.recent else { return }
    var watched = SocketReadiness.readable
    while true {
      let wanted = wants()
      guard !wanted.isEmpty else { break }
      if wanted.contains(.writable) != watched.contains(.writable) {
        watched = wanted.union(.readable)
        poll.change(descriptor, to: watched)
      }
      let ready = serial.idle { poll.wait(for: descriptor, nanoseconds: Self.patience) }.intersection(wanted)
      guard !ready.isEmpty else { break }
      serial.run { turn(ready) }
      let now = MonotonicClock.now()
      lastServed.store(now, ordering: .relaxed)
      if now &- start > Self.stay { break }
    }
    if watched != .readable { poll.change(descriptor, to: .readable) }
  }

  /// Where connections live that are not told otherwise. Two loops serve a process: one for what it serves, one for what it calls.
  public static let clients = TransportLoop(label: "capture.transport.clients")
}

/// Memory for one read or write at a time.
///
/// Unchecked: it is touched on its loop's queue only, between no suspension points.
final class LoopMemory: @unchecked Sendable {
  /// Reads of headers and small messages land here.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 64)
  let batch = WriteBatch()

  deinit { scratch.deallocate() }
}
