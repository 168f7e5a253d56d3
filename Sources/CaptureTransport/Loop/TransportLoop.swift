import CaptureLoop
import CaptureSystem
import CaptureWire

/// A loop that many connections share, with memory that each uses only while it runs. Everything that a turn produces for a connection is sent at the
/// turn's end, in one write.
public final class TransportLoop: Sendable {
  /// Tasks that prefer it (`withTaskExecutorPreference`) call the loop's connections without a hop.
  public let executor: QueueTaskExecutor
  let events: EventLoop
  let memory: LoopMemory
  var serial: QueueExecutor { events.serial }
  var poll: LoopPoll { events.poll }

  /// Makes a loop, when a process starts or first connects. If no descriptor is left for it, this ends the process, which could neither serve nor
  /// call.
  public init(label: String = "capture.transport") {
    let memory = LoopMemory()
    self.memory = memory
    do throws(Errno) {
      events = try EventLoop(label: label, runsInlineExecutors: true) { memory.takeMoved() }
    } catch {
      fatalError("no descriptor for a loop of connections: \(error)")
    }
    executor = QueueTaskExecutor(events.serial)
  }

  /// The loop of a client's connections for which none was chosen. A node in the same process has loops of its own.
  public static let clients = TransportLoop(label: "capture.transport.clients")
}

/// Memory for one read or write at a time.
///
/// Unchecked: only its loop's thread touches it, and never across a suspension point.
final class LoopMemory: @unchecked Sendable {
  /// Reads of headers and small messages go here.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 64)
  var batch = WriteBatch()
  /// How many bytes connections have read and written since this was last reset.
  var moved = (read: 0, written: 0)

  func takeMoved() -> (read: Int, written: Int) {
    defer { moved = (0, 0) }
    return moved
  }

  deinit { scratch.deallocate() }
}
