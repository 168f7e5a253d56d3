import CaptureModel
import CaptureSystem
import Synchronization

/// Takes frames and events, and lets a test wait for them, at most ten seconds.
final class Collector: FrameReceiver {
  enum Item: Sendable {
    case frame(Frame)
    case event(StreamEvent)
  }

  private struct State {
    var isWanting = true
    var asked: [UInt64] = []
  }

  struct TimedOut: Error {}

  private let state = Mutex(State())
  private let items: AsyncStream<Item>
  private let continuation: AsyncStream<Item>.Continuation

  init() { (items, continuation) = AsyncStream.makeStream() }

  /// Sequence numbers that were offered.
  var asked: [UInt64] { state.withLock { $0.asked } }
  func setWanting(_ isWanting: Bool) { state.withLock { $0.isWanting = isWanting } }

  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool {
    state.withLock { state in
      state.asked.append(sequence)
      return state.isWanting
    }
  }

  func received(_ frame: Frame) { continuation.yield(.frame(frame)) }
  func streamEvent(_ event: StreamEvent) { continuation.yield(.event(event)) }

  /// The first item from here on of which `pick` makes something; the others are dropped.
  func first<R: Sendable>(_ pick: @escaping @Sendable (Item) -> R?) async throws -> R {
    try await withThrowingTaskGroup(of: R.self) { group in
      group.addTask { [items] in
        for await item in items { if let result = pick(item) { return result } }
        throw TimedOut()
      }
      group.addTask {
        try await Task.sleep(for: .seconds(10))
        throw TimedOut()
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
  }

  func frame(where isWanted: @escaping @Sendable (Frame) -> Bool = { _ in true }) async throws -> Frame {
    try await first { if case .frame(let frame) = $0, isWanted(frame) { frame } else { nil } }
  }

  func frames(_ count: Int) async throws -> [Frame] {
    var frames: [Frame] = []
    for _ in 0..<count { frames.append(try await frame()) }
    return frames
  }
}
