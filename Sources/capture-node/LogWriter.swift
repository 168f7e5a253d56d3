import CaptureSystem
import Dispatch
import Glibc
import Synchronization

/// Writes lines on a thread of its own, in the order in which they come. Their reader may be slow, or may have stopped reading, as a paused terminal
/// has: nothing else waits for it.
final class LogWriter: Sendable {
  private let descriptor: Int32
  private let lines: Mutex<LogQueue>
  /// Makes the line that stands in place of a number of dropped lines.
  private let gap: @Sendable (Int) -> String
  private let thread = DispatchQueue(label: "capture.log")

  init(to descriptor: Int32, _ lines: LogQueue = LogQueue(), gap: @escaping @Sendable (Int) -> String) {
    (self.descriptor, self.gap) = (descriptor, gap)
    self.lines = Mutex(lines)
  }

  /// Adds a line, or drops and counts it if too many bytes wait.
  func add(_ line: String) { add(line, isRequired: false) }

  /// Adds a line, however many bytes wait, and returns once it is written. Only one caller at a time may use it, on a thread that nobody else needs.
  func write(_ line: String) {
    add(line, isRequired: true)
    thread.sync {}
  }

  /// Waits until what was added so far is written, but not longer than `limit`. Returns whether it is.
  @discardableResult func flush(atMost limit: Duration) -> Bool { thread.hasRun(within: limit) }

  private func add(_ line: String, isRequired: Bool) {
    lines.withLock { lines in
      // This is inside of the lock, so that the thread has a turn for each entry, in the order of the entries.
      if lines.add(line, isRequired: isRequired) { thread.async { self.writeNext() } }
    }
  }

  private func writeNext() {
    switch lines.withLock({ $0.next() }) {
    case .line(let line): Self.write(line, to: descriptor)
    case .dropped(let count): Self.write(gap(count), to: descriptor)
    case nil: break
    }
  }

  /// Writes a whole line, with one `write(2)` where there is room, so that lines of several programs do not mix. Waits for room, for as long as that
  /// takes. Returns the error where that fails.
  @discardableResult static func write(_ line: String, to descriptor: Int32) -> Errno? {
    var line = line
    return line.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        do throws(Errno) {
          let count = try retryingInterrupts { Glibc.write(descriptor, rest.baseAddress, rest.count) }
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        } catch {
          // Another program at the same terminal may have made it non-blocking.
          guard error == .again else { return error }
          var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&wanted, 1, -1)
        }
      }
      return nil
    }
  }
}
