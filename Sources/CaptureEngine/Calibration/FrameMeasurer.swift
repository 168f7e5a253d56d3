import CaptureControls
import CaptureImaging
import CaptureLoop
import CaptureModel
import CaptureSystem
import Synchronization

/// The measurements of a frame for a calibration.
struct MeasuredFrame: Sendable {
  var sequence: UInt64
  /// `CLOCK_MONOTONIC` nanoseconds.
  var time: UInt64
  var source: FrameTimestamp.Source
  var signature: FrameSignature
}

/// Measures every frame of a stream, and gives the results to one reader.
final class FrameMeasurer: FrameConsumer {
  private struct State {
    /// Every frame counts, so a burst of them is kept.
    var waiting = Backlog<TakenFrame>(capacity: 4)
    var isMeasuring = false
    /// Whether frames are left out, since the reader cannot use them yet.
    var isPaused = false
    /// Why there are no more frames.
    var error: CaptureError?
  }
  private let state = Mutex(State())
  private let queue = QueueExecutor(label: "calibration", threads: .own)
  private let meter = Mutex(FrameMeter())
  let frames: AsyncStream<MeasuredFrame>
  private let output: AsyncStream<MeasuredFrame>.Continuation
  let longestSilence: Duration
  /// Called whenever the reader is about to wait for a frame. A camera without a clock delivers one then.
  let demand: @Sendable () -> Void
  let holder: String

  /// `longestSilence`: how long the reader waits for a frame that can be measured.
  init(
    holder: String = "a calibration", longestSilence: Duration = .seconds(5),
    demand: @escaping @Sendable () -> Void = {}
  ) {
    (frames, output) = AsyncStream.makeStream()
    self.holder = holder
    self.longestSilence = longestSilence
    self.demand = demand
  }

  var error: CaptureError? { state.withLock { $0.error } }

  /// Whether no frame is being measured, and none waits for that.
  var isIdle: Bool { state.withLock { !$0.isMeasuring } }

  /// Leaves out all frames until ``resume()``. What is measured for a reader who has to wait would be taken for what comes after the reader's first step.
  func pause() { state.withLock { $0.isPaused = true } }

  /// Measures frames from the next one on.
  func resume() { state.withLock { $0.isPaused = false } }

  /// Ends the frames with an error.
  private func end(_ error: CaptureError) {
    state.withLock { $0.error = $0.error ?? error }
    output.finish()
  }

  /// Ends the frames, since none came for too long.
  func endForSilence(of camera: String) {
    end(CaptureError(.unavailable, "\(camera) gives no frames to measure", .init(.notResponding)))
  }

  // MARK: The stream

  var keepsStreamRunning: Bool { true }

  func wants(_ moment: FrameMoment) -> Bool { true }

  func take(_ frame: TakenFrame) -> NextFrame {
    let (replaced, begins) = state.withLock { state -> ([TakenFrame], Bool) in
      if state.isPaused { return ([], false) }
      defer { state.isMeasuring = true }
      return (state.waiting.append(frame), !state.isMeasuring)
    }
    _ = replaced  // The replaced frames give their buffers back outside the lock.
    if begins { queue.async { self.measureNext() } }
    return .stay
  }

  func streamEvent(_ event: StreamEvent) {
    switch event {
    case .interrupted: break
    case .buffersLow:
      let dropped = state.withLock { $0.waiting.removeAll() }
      _ = dropped
    case .ended(let error): end(error)
    }
  }

  private func measureNext() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      state.isMeasuring = next != nil
      return next
    }
    guard let next else { return }
    do throws(CaptureError) {
      let statistics = try meter.withLock { meter throws(CaptureError) in try meter.measure(next.frame) }
      let timestamp = next.frame.timestamp.monotonic(arrival: next.moment.arrival)
      output.yield(
        MeasuredFrame(
          sequence: next.frame.sequence, time: timestamp.nanoseconds, source: timestamp.source,
          signature: FrameSignature(statistics)))
    } catch {
      // A damaged frame counts as missing.
      if error.code != .dataLoss { end(error) }
    }
    queue.async { self.measureNext() }
  }
}

extension VideoRequest {
  /// The request for an idle camera: raw frames of a size near 640x480 if the camera has them, otherwise its JPEGs.
  init(measuring formats: [FormatDescription]) {
    let wanted = FrameSize(width: 640, height: 480)
    var best: (format: PixelFormat, size: FrameSize)?
    for format in formats where !format.isCompressed && FrameMeter.canMeasure(format.pixelFormat) {
      for option in format.sizes {
        let size =
          option.isDiscrete || option.contains(wanted)
          ? (option.isDiscrete ? option.minimum : wanted) : option.maximum
        if let known = best, abs(known.size.area - wanted.area) <= abs(size.area - wanted.area) { continue }
        best = (format.pixelFormat, size)
      }
    }
    self.init()
    guard let best else { return }
    self = VideoRequest(encoding: .raw, pixelFormat: best.format, size: best.size)
  }
}
