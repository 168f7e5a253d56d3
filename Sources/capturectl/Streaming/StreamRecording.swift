import CaptureClient
import CaptureSystem
import Glibc
import Synchronization

/// Receives a stream until it has enough frames, is told to stop, or fails.
actor StreamRecording {
  private let node: RemoteNode
  private let origin: PictureOrigin
  private let request: VideoRequest
  private let timeout: Duration?
  private let limit: UInt64?
  private let writer: PictureWriter?
  private let window: UInt32
  /// Prints a frame's description; `nil`: frames are not described.
  private let printFrame: (@Sendable (ReceivedFrame) throws -> Void)?
  private var progress = ProgressLine()
  /// Set when a signal came before the limit or the end of the duration. Without a limit and a duration a signal is the normal end.
  private(set) var shortfall: Failure?
  /// Why fewer frames came than were asked for.
  private(set) var rateBound: RateBound?
  private(set) var statistics = StreamStatistics()

  /// `limit`: how many frames to receive; `nil`: until it is told to stop. `window`: how many frames may be on their way.
  init(
    node: RemoteNode, origin: PictureOrigin, request: VideoRequest, timeout: Duration?, limit: UInt64?,
    window: UInt32, writer: PictureWriter?, printFrame: (@Sendable (ReceivedFrame) throws -> Void)? = nil
  ) {
    self.printFrame = printFrame
    self.node = node
    self.origin = origin
    self.request = request
    self.timeout = timeout
    self.limit = limit
    self.window = window
    self.writer = writer
  }

  /// Returns after the limit, `duration` after the first frame, or after a signal. A stop before the first frame is a failure.
  func run(for duration: Duration?) async throws {
    let isStopped = Atomic(false)
    let isInterrupted = Atomic(false)
    let (firstFrame, firstFrameCame) = AsyncStream.makeStream(of: Void.self)
    let receiving = Task { try await receive { firstFrameCame.finish() } }
    let stop: @Sendable () -> Void = {
      isStopped.store(true, ordering: .relaxed)
      receiving.cancel()
    }
    let timer = duration.map { duration in
      Task {
        for await _ in firstFrame {}
        try await Task.sleep(for: duration)
        stop()
      }
    }
    Interrupts.onFirstSignal {
      isInterrupted.store(true, ordering: .relaxed)
      stop()
    }
    defer {
      timer?.cancel()
      progress.clear()
    }
    do {
      try await receiving.value
    } catch let error as CaptureError where error.code == .cancelled && isStopped.load(ordering: .relaxed) {
      if statistics.frames == 0 { throw Failure("stopped before the first frame") }
      if isInterrupted.load(ordering: .relaxed) { noteShortfall(duration) }
    } catch let error as CaptureError where statistics.frames > 0 {
      throw error.with(message: "\(error.message) (after \(framesText(statistics.frames)))")
    }
  }

  private func tellOfLowerRate() async {
    guard let rate = request.rate,
      let bound = try? await VideoOutput(origin, of: node).rateBound(asked: rate)
    else { return }
    rateBound = bound
    let overProgress = Terminal.errorIsTerminal ? "\r\u{1B}[K" : ""
    Terminal.printError(
      "\(overProgress)capturectl: at most \(plain(bound.highest)) frames a second come, not \(plain(bound.asked)), "
        + "because 'frame-duration' limits the camera\n")
  }

  private func noteShortfall(_ duration: Duration?) {
    if let limit {
      shortfall = Failure("interrupted after \(statistics.frames) of \(framesText(limit))")
    } else if let duration {
      let (had, asked) = (fixed(statistics.seconds, 1), fixed(duration / .seconds(1), 1))
      shortfall = Failure("interrupted after \(had) of \(asked) s")
    }
  }

  private func receive(onFirstFrame: @Sendable () -> Void) async throws {
    let options = StreamOptions(timeout: timeout, window: window) { reason in
      let overProgress = Terminal.errorIsTerminal ? "\r\u{1B}[K" : ""
      Terminal.printError("\(overProgress)capturectl: no frames for now: \(reason.printable)\n")
    }
    try await writer?.open()
    statistics = StreamStatistics()
    let frames = VideoOutput(origin, of: node).frames(request, options: options)
    defer { statistics.isAwayAtEnd = frames.isAway }
    for try await frame in frames {
      try await writer?.write(frame.payload, captured: frame.seconds)
      statistics.add(frame)
      frame.resumption?.tell("frames")
      try printFrame?(frame)
      if statistics.frames == 1 {
        onFirstFrame()
        await tellOfLowerRate()
      }
      if statistics.frames == limit { return }
      progress.update(statistics.progress, at: frame.arrival)
    }
    throw CaptureError(.unavailable, "the node ended the stream")
  }
}

extension ReceivedFrame {
  /// When the frame was captured, in whole seconds of `CLOCK_REALTIME`; where that is not known, when it arrived.
  fileprivate var seconds: time_t {
    let latency = (latency ?? .zero) / .nanoseconds(1)
    return RealTime.seconds(monotonic: arrival &- UInt64(bitPattern: Int64(latency)))
  }
}
