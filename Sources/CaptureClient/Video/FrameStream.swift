import CaptureModel
import CaptureSystem
import CaptureWire

/// Options for receiving frames.
public struct SubscribeOptions: Sendable {
  /// The longest wait for the first frame, and for each next one. After it the stream ends with `deadlineExceeded`. `nil`: no limit. Time without a
  /// connection that is being made again does not count.
  public var timeout: Duration?
  /// How many frames may be on their way while one is read, 1 to 1,000. More frames hide jitter; fewer are fresher.
  public var window: UInt32
  /// Called with the reason when the camera gives no frames for now. The stream continues with a frame that has a discontinuity.
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

/// Live frames, the newest first: a frame that is not read in time is replaced by a newer one, which counts it.
///
/// The stream ends with `unavailable` when the camera is unplugged or the node drains. If the node's options say that a lost connection is made again,
/// the stream continues after that: its next frame has a discontinuity, and its numbering starts again. Cancelling the reading task, ``cancel()``, or
/// releasing the stream ends the subscription. It can have one reader at a time.
public struct FrameStream: AsyncSequence, Sendable {
  public typealias Element = ReceivedFrame
  public typealias Failure = RPCError
  let source: FrameSource
  /// The open call's frames, and the number of its connection.
  let first: FrameSource.Opened

  /// Ends the subscription. The reader gets `cancelled`.
  public func cancel() { source.cancel() }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, first) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let source: FrameSource
    private var messages: ResponseStream<VideoFrame>.AsyncIterator
    private var epoch: UInt64
    private var clock: ClockReading
    private var watch: SilenceWatch?
    /// Set after the connection was lost, until the next frame.
    private var resumption: Resumption?

    init(_ source: FrameSource, _ opened: FrameSource.Opened) {
      self.source = source
      messages = opened.messages.makeAsyncIterator()
      epoch = opened.epoch
      clock = ClockReading(source.connection, now: MonotonicClock.now())
      watch = source.options.timeout.map { SilenceWatch($0, cancelling: opened.messages.call) }
    }

    public mutating func next() async throws -> ReceivedFrame? { try await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError)
      -> ReceivedFrame?
    {
      while true {
        do throws(RPCError) {
          guard var frame = try await nextOfCall(isolation: actor) else { return nil }
          if let resumption = resumption.take() {
            frame.discontinuity = StreamDiscontinuity(.resumed, reason: resumption.reason)
          }
          return frame
        } catch {
          try await resume(after: error, isolation: actor)
        }
      }
    }

    private mutating func nextOfCall(isolation actor: isolated (any Actor)?) async throws(RPCError)
      -> ReceivedFrame?
    {
      watch?.beginWaiting()
      defer { watch?.endWaiting() }
      do throws(RPCError) {
        while let message = try await messages.next(isolation: actor) {
          if message.discontinuity == .interrupted { source.options.onInterruption?(message.reason) }
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

    /// Subscribes again once there is a connection. Throws `failure` where it was not the connection's end.
    private mutating func resume(
      after failure: RPCError, isolation actor: isolated (any Actor)?
    ) async throws(RPCError) {
      guard let policy = source.connection.policy else { throw failure }
      var failure = failure
      while !source.isCancelled {
        do throws(RPCError) {
          try await source.connection.recover(from: failure, epoch: epoch)
        } catch {
          // The connection is there. The camera may need a moment longer until it is there too.
          guard resumption != nil, source.mayComeBack(after: error) else { throw error }
          try await pause(isolation: actor)
        }
        if resumption == nil {
          resumption = Resumption(reason: "the connection was lost: \(failure.text)", Backoff(policy))
        }
        do throws(RPCError) {
          let opened = try await source.open()
          messages = opened.messages.makeAsyncIterator()
          epoch = opened.epoch
          clock = ClockReading(source.connection, now: MonotonicClock.now())
          watch = source.options.timeout.map { SilenceWatch($0, cancelling: opened.messages.call) }
          return
        } catch {
          failure = error
        }
      }
      throw RPCError(.cancelled, "the stream was cancelled")
    }

    private mutating func pause(isolation actor: isolated (any Actor)?) async throws(RPCError) {
      guard let pause = resumption?.backoff.pause(chance: .random(in: 0...1)) else { return }
      do { try await Task.sleep(for: pause) } catch {
        throw RPCError(.cancelled, "the stream was cancelled")
      }
    }
  }
}

/// The resumption of a stream after its connection was lost.
private struct Resumption {
  let reason: String
  var backoff: Backoff

  init(reason: String, _ backoff: Backoff) {
    self.reason = reason
    self.backoff = backoff
  }
}
