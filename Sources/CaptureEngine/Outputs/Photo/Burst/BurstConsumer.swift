import CaptureModel
import CaptureSystem
import Synchronization

/// Takes every frame of a stream, from the first that was exposed after a request. It copies each, so that the driver has its buffer back at once. It bounds the
/// bytes of the frames that wait to be made into photos.
final class BurstConsumer: FrameConsumer {
  private struct State {
    var filter: ExposureFilter
    var bytes = 0
    var isOver = false
  }
  private let state: Mutex<State>
  private let bound: Int
  private let pool = PayloadPool(keep: 4)
  private let (frames, continuation) = AsyncThrowingStream.makeStream(
    of: TakenFrame.self, throwing: (any Error).self)

  /// `requested`: `CLOCK_MONOTONIC` nanoseconds.
  init(requested: UInt64, bound: Int) {
    state = Mutex(State(filter: ExposureFilter(requested: requested)))
    self.bound = bound
  }

  var keepsStreamRunning: Bool { true }
  var holder: String { "a burst of photos" }
  func wants(_ moment: FrameMoment) -> Bool { !state.withLock(\.isOver) }

  func take(_ taken: TakenFrame) -> NextFrame {
    let frame = taken.frame
    enum Answer { case wait, copy, over, full(Int) }
    let answer = state.withLock { state -> Answer in
      if state.isOver { return .over }
      guard state.filter.accepts(frame.timestamp, interval: frame.format.interval, at: taken.moment.arrival)
      else {
        return .wait
      }
      // One frame is always taken.
      guard state.bytes == 0 || state.bytes + frame.payload.count <= bound else {
        state.isOver = true
        return .full(state.bytes)
      }
      state.bytes += frame.payload.count
      return .copy
    }
    switch answer {
    case .wait: return .stay
    case .over: return .done
    case .full(let bytes):
      continuation.finish(
        throwing: NodeLimit.burstBytesPerCamera.exceeded(
          bound: bound,
          "frames of \(bytes) bytes wait to be made into photos, and they come faster than that is done"))
      return .done
    case .copy:
      continuation.yield(taken.copied(into: pool))
      return .stay
    }
  }

  func streamEvent(_ event: StreamEvent) {
    if case .ended(let error) = event { fail(error) }
  }

  func fail(_ error: CaptureError) {
    state.withLock { $0.isOver = true }
    continuation.finish(throwing: error)
  }

  /// Waits for the next frame. It has one reader. Throws why no more come.
  func next() async throws(CaptureError) -> TakenFrame {
    do {
      var iterator = frames.makeAsyncIterator()
      guard let taken = try await iterator.next(isolation: #isolation) else {
        throw CaptureError.callCancelled
      }
      return taken
    } catch {
      throw error as? CaptureError ?? .callCancelled
    }
  }

  /// Tells that a frame has become a photo.
  func noteMade(_ taken: TakenFrame) { state.withLock { $0.bytes -= taken.frame.payload.count } }
}
