import CaptureSystem
import CaptureWire
import Dispatch
import Synchronization

/// A thread that many connections share, with the memory that each uses only while it runs. It sleeps until a socket is ready, a timer
/// is due, or somebody sends it work; what a turn produces for a connection goes out at its end, in one write.
public final class TransportLoop: Sendable {
  /// Tasks that prefer it (`withTaskExecutorPreference`) call on the loop's connections without a hop.
  public let executor: QueueTaskExecutor
  let serial: QueueExecutor
  let memory = LoopMemory()
  let poll: LoopPoll
  let timers = LoopTimers()
  private let ended = Ended()

  public init(label: String = "capture.transport") {
    let poll = LoopPoll()
    self.poll = poll
    serial = QueueExecutor(loop: label) { poll.ring() }
    executor = QueueTaskExecutor(serial)
    serial.occupy { [serial, poll, timers, memory, ended] in
      let moved = memory.takeMoved()
      var count = 0
      if memory.patience.looks(after: moved) { count = Self.look(poll, serial, &memory.patience) }
      if count == 0 {
        count = serial.rest { mayWait in
          guard mayWait else { return poll.wait(nanoseconds: 0) }
          guard let due = timers.due else { return poll.wait(nanoseconds: nil) }
          let now = MonotonicClock.now()
          return poll.wait(nanoseconds: due > now ? due - now : 0)
        }
      }
      poll.dispatch(count)
      if let due = timers.due {
        let now = MonotonicClock.now()
        if due <= now { timers.fire(now: now) }
      }
      return !ended.flag.load(ordering: .relaxed)
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
    ended.flag.store(true, ordering: .relaxed)
    poll.ring()
  }

  /// Outlives the loop for as long as its thread runs.
  private final class Ended: Sendable {
    let flag = Atomic<Bool>(false)
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
