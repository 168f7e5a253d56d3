import CaptureClient
import CaptureModel

/// Statistics of a stream, counted frame by frame, in constant memory.
struct StreamStatistics: Sendable {
  private(set) var frames: UInt64 = 0
  private(set) var bytes: UInt64 = 0
  private(set) var discarded: UInt64 = 0
  /// Frames that are missing in the camera's own numbering and that the service neither discarded nor left out for a lower rate.
  private(set) var sequenceGaps: UInt64 = 0
  private(set) var interruptions: UInt64 = 0
  private(set) var latency = LatencyHistogram()
  private(set) var lastLatency: Duration?
  /// Why fewer frames came than were asked for.
  var rateBound: RateBound?

  private let start: UInt64
  private var first: UInt64?
  private var last: UInt64 = 0
  private var sequence: UInt64?

  /// `start`: when the stream was requested, in `CLOCK_MONOTONIC` nanoseconds.
  init(start: UInt64) { self.start = start }

  /// The values of one frame.
  struct Sample: Sendable {
    var bytes: Int
    var sequence: UInt64
    var discarded: UInt64 = 0
    var thinned: UInt64 = 0
    var discontinuity: StreamDiscontinuity.Kind?
    /// `CLOCK_MONOTONIC` nanoseconds.
    var arrival: UInt64
    var latency: Duration?
  }

  mutating func add(_ sample: Sample) {
    frames += 1
    bytes += UInt64(sample.bytes)
    discarded += sample.discarded
    if sample.discontinuity != nil { interruptions += 1 }
    // The camera's numbers go on over a stall, and start again with another format.
    if sample.discontinuity != .reconfigured, let sequence, sample.sequence > sequence {
      let missing = sample.sequence - sequence - 1
      let explained = sample.discarded + sample.thinned
      sequenceGaps += missing > explained ? missing - explained : 0
    }
    sequence = sample.sequence
    if first == nil { first = sample.arrival }
    last = sample.arrival
    lastLatency = sample.latency
    if let value = sample.latency { latency.add(value) }
  }

  /// The seconds from the first frame to the last.
  var seconds: Double { first.map { Double(last - $0) / 1e9 } ?? 0 }

  /// Frames a second between the first and the last; 0 with fewer than two.
  var rate: Double { seconds > 0 ? Double(frames - 1) / seconds : 0 }

  /// The bits a second at that rate.
  var bitRate: Double { frames > 0 ? rate * Double(bytes) * 8 / Double(frames) : 0 }

  /// The time from the request to the first frame.
  var firstFrameMilliseconds: Double? { first.map { Double($0 - start) / 1e6 } }
}

extension StreamStatistics.Sample {
  init(_ frame: ReceivedFrame) {
    self.init(
      bytes: frame.payload.count, sequence: frame.info.sequence, discarded: frame.discarded,
      thinned: frame.thinned, discontinuity: frame.discontinuity?.kind, arrival: frame.arrival,
      latency: frame.latency)
  }
}
