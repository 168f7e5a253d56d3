public import CaptureModel
internal import CaptureSystem
internal import CaptureWire

/// How frames are received.
public struct StreamOptions: Sendable {
  /// The longest wait for the first frame, and for each next one. After it the stream ends with `deadlineExceeded`. `nil`: no limit. Time without a
  /// connection or a camera that may come back does not count, nor does time in which nobody has decided about a request for access.
  public var timeout: Duration?
  /// How many frames may be on their way while one is read, 1 to 1,000. More frames hide jitter; fewer are fresher.
  public var window: UInt32
  /// Called with the reason when the camera gives no frames for now, once for each pause. The stream continues with a frame that has a discontinuity.
  public var onInterruption: (@Sendable (String) -> Void)?

  public init(
    timeout: Duration? = .seconds(10), window: UInt32 = 2,
    onInterruption: (@Sendable (String) -> Void)? = nil
  ) {
    self.timeout = timeout
    self.window = window
    self.onInterruption = onInterruption
  }
}

/// Live frames, the newest first: a frame that is not read in time is replaced by a newer one, which counts it (``ReceivedFrame/discarded``). This is
/// `AVCaptureVideoDataOutput` with `alwaysDiscardsLateVideoFrames`.
///
/// After a lost connection, and when an unplugged camera is back, the stream goes on, if the node's configuration says that connections are made
/// again; the first frame then has a ``ReceivedFrame/resumption``. It goes on with the same camera, whatever index the camera has in a node that has
/// started anew, and waits until that is there. Otherwise it ends with `unavailable`; but a session outlives its cameras, so after
/// an unplugging its stream ends only when the timeout has passed. Cancelling the reading task, ``cancel()``, or releasing the stream ends the
/// subscription.
///
/// The stream can have one reader at a time. A second iterator subscribes once more, and ``cancel()`` then ends only the later subscription.
public struct FrameStream: AsyncSequence, Sendable {
  public typealias Element = ReceivedFrame
  public typealias Failure = CaptureError
  private let source: FrameSource

  init(_ source: FrameSource) { self.source = source }

  /// Ends the subscription. The reader gets `cancelled`.
  public func cancel() { source.cancel() }

  /// Whether no frame comes now because the connection or the camera is away. Once the reader has ended the stream: whether one of them was away
  /// then.
  public var isAway: Bool { source.isAway.load(ordering: .relaxed) }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let source: FrameSource
    private var call: ResumableCall
    private var subscription: Subscription?
    private var numbering = FrameNumbering()

    init(_ source: FrameSource) {
      self.source = source
      call = ResumableCall(source.connection, recovery: source.recovery) { [weak source] in
        source?.mayComeBack(after: $0) ?? false
      }
    }

    public mutating func next() async throws(CaptureError) -> ReceivedFrame? {
      try await next(isolation: nil)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(CaptureError)
      -> ReceivedFrame?
    {
      if let refusal = source.refusal { throw refusal }
      do throws(RPCError) {
        if subscription == nil { subscription = Subscription(source, try await call.open(source.open)) }
        while true {
          do throws(RPCError) {
            guard let (frame, continuity) = try await subscription!.next(isolation: actor) else { return nil }
            try await call.identify(source.camera, timeout: source.callTimeout)
            return marked(frame, continuity)
          } catch {
            if error.details?.reason == .cameraUnplugged, source.connection.policy != nil, !call.isPaused {
              source.options.onInterruption?(error.text)
            }
            if source.connection.policy != nil, error.code == .unavailable {
              source.isAway.store(true, ordering: .relaxed)
            }
            subscription = Subscription(source, try await call.reopen(after: error, source.open))
          }
        }
      } catch {
        // `isAway` keeps its value only where the reader has ended the stream.
        if error.code != .cancelled { source.isAway.store(false, ordering: .relaxed) }
        throw CaptureError(error)
      }
    }

    /// The frame, with the facts of a pause before it.
    private mutating func marked(_ frame: ReceivedFrame, _ continuity: CameraContinuity?) -> ReceivedFrame {
      source.isAway.store(false, ordering: .relaxed)
      var frame = frame
      var isNew = frame.discontinuity != nil
      if var resumption = call.endPause(continuity) {
        if !resumption.streamBeganAnew { resumption.missedFrames = numbering.missed(before: frame.info) }
        isNew = resumption.missedFrames == nil
        frame.resumption = resumption
        frame.discontinuity = StreamDiscontinuity(.resumed, reason: resumption.reason)
      }
      numbering.take(frame.info, isNew: isNew)
      return frame
    }
  }
}

/// The frames of one call.
private struct Subscription {
  private let source: FrameSource
  private var messages: ResponseStream<VideoFrame>.AsyncIterator
  private var clock: ClockReading
  private let watch: SilenceWatch?
  private var isFirst = true
  /// The frames that were left out before announcements since the last frame; the next frame tells of them.
  private var announced: (discarded: UInt64, thinned: UInt64) = (0, 0)

  init(_ source: FrameSource, _ stream: ResponseStream<VideoFrame>) {
    self.source = source
    messages = stream.makeAsyncIterator()
    clock = ClockReading(source.connection, now: MonotonicClock.now())
    watch = source.options.timeout.map { SilenceWatch($0, cancelling: stream.call) }
  }

  /// The next frame, and what the node reported of the camera with it.
  mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError) -> (
    ReceivedFrame, CameraContinuity?
  )? {
    watch?.beginWaiting()
    defer { watch?.endWaiting() }
    do throws(RPCError) {
      while let message = try await messages.next(isolation: actor) {
        if message.discontinuity == .interrupted {
          source.options.onInterruption?(message.reason)
          if message.cameraUnplugged { source.isAway.store(true, ordering: .relaxed) }
          // The wait has no limit while a person must decide about the access, or plug the camera in again.
          let isUnlimited =
            message.awaitsAccess || message.cameraUnplugged && source.connection.policy != nil
          if isUnlimited { watch?.endWaiting() } else { watch?.goOnWaiting() }
        }
        guard let payload = message.data, payload.count > 0 else {
          announced.discarded &+= message.discarded
          announced.thinned &+= message.thinned
          continue
        }
        let arrival = MonotonicClock.now()
        let offset = await clock.offset(now: arrival)
        let continuity = isFirst || message.discontinuity != .none ? CameraContinuity(message) : nil
        isFirst = false
        var frame = ReceivedFrame(message, payload: payload, arrival: arrival, clockOffset: offset)
        frame.discarded &+= announced.discarded
        frame.thinned &+= announced.thinned
        announced = (0, 0)
        return (frame, continuity)
      }
      return nil
    } catch {
      throw watch?.failure ?? error
    }
  }
}
