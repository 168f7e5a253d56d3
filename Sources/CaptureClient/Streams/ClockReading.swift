internal import CaptureSystem
internal import CaptureTransport
import Synchronization

/// The offset to the node's clock, for a stream. It is measured while the stream waits for its first frame, and again every two seconds. If a node
/// does not answer Pings, a stream has no latencies and its first frame may be a second late, but it loses no frame.
struct ClockReading: Sendable {
  private final class Latest: Sendable {
    let offset = Mutex<ClockOffset?>(nil)
  }

  private let connection: any NodeConnection
  private let latest = Latest()
  /// Ends with the first measurement, or when that takes too long.
  private let first: AsyncStream<Never>
  private var isFirst = true
  private var askedAt: UInt64

  /// `now`: `CLOCK_MONOTONIC` nanoseconds here.
  init(_ connection: any NodeConnection, now: UInt64, patience: Duration = .seconds(1)) {
    self.connection = connection
    askedAt = now
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    first = stream
    ask { continuation.finish() }
    Task {
      try? await Task.sleep(for: patience)
      continuation.finish()
    }
  }

  /// Returns `nil` while it is unknown.
  mutating func offset(now: UInt64) async -> ClockOffset? {
    if isFirst {
      isFirst = false
      for await _ in first {}
    }
    if now &- askedAt > 2_000_000_000 {
      askedAt = now
      ask {}
    }
    return latest.offset.withLock { $0 }
  }

  private func ask(_ done: @escaping @Sendable () -> Void) {
    Task { [connection, latest] in
      let offset = try? await connection.clockOffset()
      latest.offset.withLock { $0 = offset }
      done()
    }
  }
}
