import CaptureModel
import CaptureSystem
import Synchronization

/// Takes every frame of a stream, from the first that was exposed after a request, until it has enough, or there is no room for one more.
final class BurstConsumer: FrameConsumer {
  private struct State {
    var filter: ExposureFilter
    /// How many more frames the consumer takes.
    var wanted: Int
    var isOver = false
  }
  private let state: Mutex<State>
  private let photos: PhotosUnderWay
  private let (frames, continuation) = AsyncThrowingStream.makeStream(
    of: PhotoFrame.self, throwing: (any Error).self)

  /// `requested`: `CLOCK_MONOTONIC` nanoseconds. `count`: how many frames it takes.
  init(of photos: PhotosUnderWay, requested: UInt64, count: Int) {
    state = Mutex(State(filter: ExposureFilter(requested: requested), wanted: count))
    self.photos = photos
  }

  var keepsStreamRunning: Bool { true }
  var holder: String { "a burst of photos" }
  func wants(_ moment: FrameMoment) -> Bool { state.withLock { !$0.isOver && $0.wanted > 0 } }

  func take(_ taken: TakenFrame) -> NextFrame {
    let frame = taken.frame
    let (isOver, isWanted) = state.withLock { state in
      let isExposed = state.filter.accepts(
        frame.timestamp, interval: frame.format.interval, at: taken.moment.arrival)
      let isWanted = isExposed && state.wanted > 0
      if isWanted { state.wanted -= 1 }
      return (state.isOver, isWanted)
    }
    if isOver { return .done }
    guard isWanted else { return .stay }
    do throws(CaptureError) {
      continuation.yield(try photos.keep(taken))
      return .stay
    } catch {
      fail(error)
      return .done
    }
  }

  /// Takes one frame more, in place of one that gave no photo.
  func wantOneMore() { state.withLock { $0.wanted += 1 } }

  func streamEvent(_ event: StreamEvent) {
    if case .ended(let error) = event { fail(error) }
  }

  func fail(_ error: CaptureError) {
    state.withLock { $0.isOver = true }
    continuation.finish(throwing: error)
  }

  /// Waits for the next frame. Only one task may wait. Throws the reason why no more frames come.
  func next() async throws(CaptureError) -> PhotoFrame {
    do {
      var iterator = frames.makeAsyncIterator()
      guard let frame = try await iterator.next(isolation: #isolation) else {
        throw CaptureError.callCancelled
      }
      return frame
    } catch {
      throw error as? CaptureError ?? .callCancelled
    }
  }
}
