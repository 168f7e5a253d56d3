import CaptureSystem
import CaptureWire

/// How to receive frames.
public struct SubscribeOptions: Sendable {
  /// The longest wait for the first frame, and for each next one; then the stream ends with `deadlineExceeded`. `nil`: for ever.
  public var timeout: Duration?
  /// Frames that may be on their way while one is being read, 1 to 1,000. More hides jitter, less is fresher.
  public var window: UInt32
  /// Told when the camera gives no frames for now, with the reason. The stream goes on with a frame that has a discontinuity.
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

/// Live frames, newest first: one that is not read in time is replaced by a newer one, and counted in the next.
///
/// Ends with `unavailable` when the camera is unplugged or the node drains. Cancelling the reading task, ``cancel()``, or letting go of
/// the stream ends the subscription. One reader at a time.
public struct FrameStream: AsyncSequence, Sendable {
  public typealias Element = ReceivedFrame
  public typealias Failure = RPCError
  let messages: ResponseStream<VideoFrame>
  let connection: any NodeConnection
  let options: SubscribeOptions

  /// Ends the subscription; the reader gets `cancelled`.
  public func cancel() { messages.call.cancel() }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      messages: messages.makeAsyncIterator(), clock: ClockReading(connection, now: MonotonicClock.now()),
      watch: options.timeout.map { SilenceWatch($0, cancelling: messages.call) },
      onInterruption: options.onInterruption)
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    var messages: ResponseStream<VideoFrame>.AsyncIterator
    var clock: ClockReading
    let watch: SilenceWatch?
    let onInterruption: (@Sendable (String) -> Void)?

    public mutating func next() async throws -> ReceivedFrame? { try await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError)
      -> ReceivedFrame?
    {
      watch?.beginWaiting()
      defer { watch?.endWaiting() }
      do throws(RPCError) {
        while let message = try await messages.next(isolation: actor) {
          if message.discontinuity == .interrupted { onInterruption?(message.reason) }
          guard let payload = message.data, payload.count > 0 else { continue }
          let arrival = MonotonicClock.now()
          let offset = await clock.offset(now: arrival)
          return ReceivedFrame(message, payload: payload, arrival: arrival, clockOffset: offset)
        }
        return nil
      } catch {
        throw watch?.failure ?? error
      }
    }
  }
}
