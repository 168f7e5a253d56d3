internal import CaptureModel
internal import CaptureSystem

/// Statistics of a stream, counted frame by frame, in constant memory.
public struct StreamStatistics: Sendable {
  /// Frames that came.
  public private(set) var frames: UInt64 = 0
  /// The bytes of these frames.
  public private(set) var bytes: UInt64 = 0
  /// Frames that newer ones replaced, since this client or the link was too slow, and damaged ones.
  public private(set) var discarded: UInt64 = 0
  /// Frames that are missing in the camera's own numbering and that the node neither discarded nor left out for a lower rate.
  public private(set) var sequenceGaps: UInt64 = 0
  /// How many frames had a discontinuity, such as a stall before them or another format.
  public private(set) var interruptions: UInt64 = 0
  /// Frames that are known to have been missed while the connection or the camera was away.
  public private(set) var missed: UInt64 = 0
  /// How often the connection or the camera was away and came back.
  public private(set) var resumptions: UInt64 = 0
  /// Whether the connection or the camera was away when the stream ended. The receiver sets it (``FrameStream/isAway``).
  public var isAwayAtEnd = false
  /// The times from capture to arrival, of those frames for which they are known.
  public private(set) var latency = DurationHistogram()
  /// The last frame's latency; `nil`: it is not known.
  public private(set) var lastLatency: Duration?
  private let start: UInt64
  private var first: UInt64?
  private var last: UInt64 = 0
  private var sequence: UInt64?

  /// Begins to count: the stream is requested now.
  public init() { self.init(start: MonotonicClock.now()) }

  /// `start`: when the stream was requested, in `CLOCK_MONOTONIC` nanoseconds.
  package init(start: UInt64) { self.start = start }

  /// Counts a frame.
  public mutating func add(_ frame: ReceivedFrame) { add(Sample(frame)) }

  /// The values of one frame.
  package struct Sample: Sendable {
    package var bytes: Int
    package var sequence: UInt64
    package var discarded: UInt64
    package var thinned: UInt64
    package var discontinuity: StreamDiscontinuity.Kind?
    package var resumption: Resumption?
    /// `CLOCK_MONOTONIC` nanoseconds.
    package var arrival: UInt64
    package var latency: Duration?

    package init(
      bytes: Int, sequence: UInt64, discarded: UInt64 = 0, thinned: UInt64 = 0,
      discontinuity: StreamDiscontinuity.Kind? = nil, resumption: Resumption? = nil, arrival: UInt64,
      latency: Duration? = nil
    ) {
      (self.bytes, self.sequence, self.discarded, self.thinned) = (bytes, sequence, discarded, thinned)
      (self.discontinuity, self.resumption) = (discontinuity, resumption)
      (self.arrival, self.latency) = (arrival, latency)
    }
  }

  package mutating func add(_ sample: Sample) {
    frames += 1
    bytes += UInt64(sample.bytes)
    discarded &+= sample.discarded
    if sample.discontinuity != nil { interruptions += 1 }
    if let resumption = sample.resumption {
      resumptions += 1
      missed &+= resumption.missedFrames ?? 0
    }
    // The camera's numbers go on over a stall, and start again with another format.
    if sample.discontinuity != .reconfigured, sample.resumption == nil, let sequence,
      sample.sequence > sequence
    {
      let missing = sample.sequence - sequence - 1
      let explained = sample.discarded &+ sample.thinned
      sequenceGaps &+= missing > explained ? missing - explained : 0
    }
    sequence = sample.sequence
    if first == nil { first = sample.arrival }
    last = sample.arrival
    lastLatency = sample.latency
    if let value = sample.latency { latency.add(value) }
  }

  /// The seconds from the first frame to the last.
  public var seconds: Double { first.map { Double(last - $0) / 1e9 } ?? 0 }

  /// Frames a second between the first and the last; 0 with fewer than two.
  public var rate: Double { seconds > 0 ? Double(frames - 1) / seconds : 0 }

  /// The bits a second at ``rate``.
  public var bitRate: Double { frames > 0 ? rate * Double(bytes) * 8 / Double(frames) : 0 }

  /// The time from the request to the first frame, in milliseconds; `nil`: none came.
  public var firstFrameMilliseconds: Double? { first.map { Double($0 - start) / 1e6 } }
}

extension StreamStatistics.Sample {
  init(_ frame: ReceivedFrame) {
    self.init(
      bytes: frame.payload.count, sequence: frame.info.sequence, discarded: frame.discarded,
      thinned: frame.thinned, discontinuity: frame.discontinuity?.kind,
      resumption: frame.resumption, arrival: frame.arrival, latency: frame.latency)
  }
}
