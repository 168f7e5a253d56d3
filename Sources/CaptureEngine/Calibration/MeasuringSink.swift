import CaptureImaging
import CaptureModel
import CaptureSystem
import Synchronization

/// A frame as a calibration sees it.
struct MeasuredFrame: Sendable {
  var sequence: UInt64
  /// `CLOCK_MONOTONIC` nanoseconds.
  var time: UInt64
  var source: FrameTimestamp.Source
  var signature: FrameSignature
}

/// Measures every frame of a stream, and hands them to one reader.
final class MeasuringSink: FrameSink {
  let loop = QueueExecutor(label: "calibration", threads: .own)
  /// Every frame counts.
  var room: Int { 16 }
  let frames: AsyncStream<MeasuredFrame>
  private let output: AsyncStream<MeasuredFrame>.Continuation
  private let meter = Mutex(FrameMeter())
  private let lastFrame = Mutex(MonotonicClock.now())
  private let failure = Mutex<CaptureError?>(nil)

  private let longestSilence: Duration
  /// Told whenever the reader is about to wait for a frame: a camera without a clock gives one then.
  let demand: @Sendable () -> Void

  /// `longestSilence`: after which the camera gives no frames.
  init(longestSilence: Duration = .seconds(5), demand: @escaping @Sendable () -> Void = {}) {
    (frames, output) = AsyncStream.makeStream()
    self.longestSilence = longestSilence
    self.demand = demand
  }

  /// Why there are no more frames.
  var error: CaptureError? { failure.withLock { $0 } }

  /// No more frames.
  func end(_ error: CaptureError) {
    failure.withLock { $0 = $0 ?? error }
    output.finish()
  }

  /// Ends when the subscription does, or when frames stay away. Until cancelled.
  func watch(_ subscription: FrameSubscription, camera: String) async {
    async let silence: Void = {
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        let quiet = Duration.nanoseconds(MonotonicClock.now() - lastFrame.withLock { $0 })
        guard quiet > longestSilence else { continue }
        end(CaptureError(.unavailable, "\(camera) gives no frames to measure"))
      }
    }()
    do throws(CaptureError) {
      try await subscription.waitUntilEnded()
    } catch {
      end(error)
    }
    await silence
  }

  func offer(_ message: VideoMessage) {
    guard case .picture(let picture) = message.content else { return }
    _ = message.gap(replacing: 0)
    let now = MonotonicClock.now()
    lastFrame.withLock { $0 = now }
    let description = picture.description
    let frame = Frame(
      payload: picture.payload, format: description.source, sequence: description.sequence,
      timestamp: description.timestamp)
    do throws(CaptureError) {
      let statistics = try measure(frame)
      output.yield(
        MeasuredFrame(
          sequence: description.sequence,
          time: description.timestamp.clock == .monotonic ? description.timestamp.nanoseconds : now,
          source: description.timestamp.source, signature: FrameSignature(statistics)))
    } catch {
      // One that is damaged is one that is missing.
      if error.code != .dataLoss { end(error) }
    }
  }

  private func measure(_ frame: Frame) throws(CaptureError) -> FrameStatistics {
    let result = meter.withLock { meter -> Result<FrameStatistics, CaptureError> in
      do throws(CaptureError) {
        return .success(try meter.measure(frame))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func relinquish() {}
}

extension VideoRequest {
  /// Of an idle camera: raw frames of a size near 640x480 where it has them, else its JPEGs.
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
