import CaptureSystem
import CaptureWire

/// A loop that many connections share, with the memory that each uses only while it runs. What a turn produces for a connection goes out
/// at its end, in one write.
public final class TransportLoop: Sendable {
  /// Tasks that prefer it (`withTaskExecutorPreference`) call on the loop's connections without a hop.
  public let executor: QueueTaskExecutor
  let events: EventLoop
  let memory: LoopMemory
  var serial: QueueExecutor { events.serial }
  var poll: LoopPoll { events.poll }

  /// Made when a process starts, or first connects: without a descriptor for it there is nothing to serve or to call.
  public init(label: String = "capture.transport") {
    let memory = LoopMemory()
    self.memory = memory
    do throws(Errno) {
      events = try EventLoop(label: label, hasGuests: true) { poll, serial in
        let moved = memory.takeMoved()
        return memory.patience.looks(after: moved) ? Self.look(poll, serial, &memory.patience) : 0
      }
    } catch {
      fatalError("no descriptor for a loop of connections: \(error)")
    }
    executor = QueueTaskExecutor(events.serial)
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
  /// Bytes that connections have read and written since this was last taken.
  var moved = (read: 0, written: 0)

  func takeMoved() -> (read: Int, written: Int) {
    defer { moved = (0, 0) }
    return moved
  }

  deinit { scratch.deallocate() }
}
