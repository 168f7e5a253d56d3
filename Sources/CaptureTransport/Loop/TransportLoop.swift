import CaptureSystem
import CaptureWire
import Synchronization

/// A serial queue that many connections share, with the memory that each uses only while it runs. A Dispatch source begins its turns
/// when a socket is ready, a timer is due, or somebody sends it work; as long as more comes, the loop stays on the thread and waits for it
/// there. What a turn produces for a connection goes out at its end, in one write.
public final class TransportLoop: Sendable {
  /// Tasks that prefer it (`withTaskExecutorPreference`) call on the loop's connections without a hop.
  public let executor: QueueTaskExecutor
  let serial: QueueExecutor
  let memory = LoopMemory()
  let poll: LoopPoll
  let timers = LoopTimers()
  private let watch: LoopWatch

  /// How long a loop stays after the last event, nanoseconds. Streams of more than a few frames a second never send it through
  /// Dispatch, which costs two thread switches an event.
  private static let stay: UInt64 = 250_000_000

  public init(label: String = "capture.transport") {
    let poll = LoopPoll()
    self.poll = poll
    serial = QueueExecutor(loop: label) { poll.ring() }
    executor = QueueTaskExecutor(serial)
    watch = LoopWatch(poll.descriptor, on: serial.queue)
    watch.start { [serial, poll, timers, memory, watch] in
      var isLively = false
      serial.stay {
        let moved = memory.takeMoved()
        var count = 0
        var isQuiet = !isLively
        if memory.patience.looks(after: moved) { count = Self.look(poll, serial, &memory.patience) }
        if count == 0 {
          count = serial.rest { mayWait in
            guard mayWait, isLively else { return poll.wait(nanoseconds: 0) }
            let due = timers.wait ?? .max
            isQuiet = due >= Self.stay
            return poll.wait(nanoseconds: min(due, Self.stay))
          }
        }
        poll.dispatch(count)
        let hasFired = timers.fire()
        isLively = count > 0 || !isQuiet
        guard !isLively, !hasFired, serial.leave() else { return true }
        if let wait = timers.wait { watch.wake(after: wait) }
        return false
      }
    } ended: { [serial, poll] in
      withExtendedLifetime(poll) { serial.endLoop() }
    }
  }

  /// Looks for an event without sleeping.
  private static func look(_ poll: LoopPoll, _ serial: QueueExecutor, _ patience: inout LoopPatience) -> Int {
    let end = MonotonicClock.now() + LoopPatience.look
    repeat {
      let count = poll.wait(nanoseconds: 0)
      if count > 0 || serial.isCalled {
        patience.looked(inVain: false)
        return count
      }
    } while MonotonicClock.now() < end
    patience.looked(inVain: true)
    return 0
  }

  deinit {
    watch.cancel()
  }

  /// Where connections live that are not told otherwise. Two loops serve a process: one for what it serves, one for what it calls.
  public static let clients = TransportLoop(label: "capture.transport.clients")
}

/// Memory for one read or write at a time.
///
/// Unchecked: it is touched on its loop's thread only, between no suspension points.
final class LoopMemory: @unchecked Sendable {
  /// Reads of headers and small messages land here.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 64)
  let batch = WriteBatch()
  var patience = LoopPatience()
  private var moved = 0

  /// A connection read or wrote so many bytes.
  func move(_ count: Int) { moved += count }

  /// What was moved since the last time.
  func takeMoved() -> Int {
    defer { moved = 0 }
    return moved
  }

  deinit { scratch.deallocate() }
}
