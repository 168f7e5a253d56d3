import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureWire
import Synchronization

/// The common state of all connections of one origin. It lives as long as one of them, or of the handlers that they have begun.
final class OriginState: Sendable {
  /// How many handlers run; a handler whose call is over counts until it returns.
  private let calls = Atomic<Int>(0)
  /// The bytes of these handlers' requests, as they came. How much of its request a service keeps while the call lasts is not known here.
  private let requestBytes = Atomic<Int>(0)
  /// The bytes of the frames that the origin's clients are late to read.
  private let lateBytes = Mutex(0)
  /// The origin's account on each loop.
  let accounts: [LoopAccount]
  private let longPackets = Mutex(LongPacketBudget())

  /// Whether a handler has not returned.
  var hasRunningCalls: Bool { calls.load(ordering: .relaxed) > 0 }

  init(loops: Int) { accounts = (0..<loops).map { _ in LoopAccount() } }

  /// Counts a call with a request of `length` bytes, unless the call would exceed a limit. Returns that limit; `nil`: the call may begin, and
  /// ``callEnded(requestBytes:)`` has to follow.
  func begin(requestBytes length: Int, within bounds: CallBounds) -> NodeLimit? {
    guard calls.wrappingAdd(1, ordering: .relaxed).oldValue < bounds.calls else {
      calls.wrappingSubtract(1, ordering: .relaxed)
      return .callsPerAddress
    }
    let before = requestBytes.wrappingAdd(length, ordering: .relaxed).oldValue
    // A single request may be longer than the bound for all, since the bound of an envelope is configured too.
    guard before == 0 || before + length <= bounds.requestBytes else {
      callEnded(requestBytes: length)
      return .requestBytesPerAddress
    }
    return nil
  }

  func callEnded(requestBytes length: Int) {
    calls.wrappingSubtract(1, ordering: .relaxed)
    requestBytes.wrappingSubtract(length, ordering: .relaxed)
  }

  /// Counts a frame that its client is late to read. Returns whether it may go on waiting for the client, and ``lateFrameEnded(bytes:)`` follows: the late frames
  /// of the origin have at most `bound` bytes together, but one alone may have more.
  func lateFrameBegan(bytes length: Int, within bound: Int) -> Bool {
    lateBytes.withLock { bytes in
      guard bytes == 0 || bytes + length <= bound else { return false }
      bytes += length
      return true
    }
  }

  /// Notes that a late frame was sent whole, or is not sent any more.
  func lateFrameEnded(bytes length: Int) { lateBytes.withLock { $0 -= length } }

  /// How many nanoseconds a connection pauses after a read that cost `cost` nanoseconds.
  func pause(after cost: UInt64, now: UInt64) -> UInt64 {
    longPackets.withLock { $0.pause(after: cost, now: now) }
  }
}

/// The bounds of one origin's running calls.
struct CallBounds {
  /// The most calls that may run.
  let calls: Int
  /// The most bytes that their requests may have together.
  let requestBytes: Int
  /// The bytes together of their frames that are late.
  let lateFrameBytes: Int

  init(_ limits: NodeLimits) {
    (calls, requestBytes) = (limits[.callsPerAddress], limits[.requestBytesPerAddress])
    lateFrameBytes = limits[.lateFrameBytesPerAddress]
  }

  /// The error for a call that is beyond `limit`.
  func refusal(_ limit: NodeLimit) -> RPCError {
    let (bound, text) =
      limit == .callsPerAddress
      ? (calls, "\(calls) calls of one address are running")
      : (requestBytes, "the running calls of one address have requests of \(requestBytes) bytes")
    return RPCError(
      .resourceExhausted, "\(text); no more are taken (\(limit.rawValue))", limit.details(bound: bound))
  }
}
