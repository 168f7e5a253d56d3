import CaptureSystem

/// One picture as its camera delivered it: the bytes (a lease on the driver's buffer) and what is known about them.
public final class Frame: Sendable {
  /// The bytes, one segment per memory plane. The driver's buffer is queued back when the last reader lets go.
  public let payload: Payload
  public let format: StreamFormat
  /// The driver's number, counted from 0 at the start of the camera's stream, in 64 bits. A gap is a lost frame.
  public let sequence: UInt64
  public let timestamp: FrameTimestamp
  /// Set on the first frame after frames went missing for a reason other than lateness; says why they are missing.
  public let discontinuity: StreamDiscontinuity?

  public init(
    payload: Payload, format: StreamFormat, sequence: UInt64, timestamp: FrameTimestamp,
    discontinuity: StreamDiscontinuity? = nil
  ) {
    self.payload = payload
    self.format = format
    self.sequence = sequence
    self.timestamp = timestamp
    self.discontinuity = discontinuity
  }
}

/// When a frame was taken, and which moment of the frame that is.
public struct FrameTimestamp: Hashable, Sendable {
  /// `V4L2_BUF_FLAG_TIMESTAMP_*`.
  public enum Clock: Sendable {
    /// The driver does not name it.
    case unknown
    /// `CLOCK_MONOTONIC`
    case monotonic
    /// The time is that of the frame from which this one was made.
    case copy
  }
  /// `V4L2_BUF_FLAG_TSTAMP_SRC_*`.
  public enum Source: Sendable {
    /// The last bytes came.
    case endOfFrame
    /// The exposure began.
    case startOfExposure
  }

  /// The time on `clock`.
  public var nanoseconds: UInt64
  /// The clock of `nanoseconds`.
  public var clock: Clock
  /// The moment of the frame at which that time was taken.
  public var source: Source

  public init(nanoseconds: UInt64, clock: Clock, source: Source) {
    self.nanoseconds = nanoseconds
    self.clock = clock
    self.source = source
  }
}

extension FrameTimestamp {
  /// How far the time of a frame may be from the moment at which the frame came, in nanoseconds.
  private static let plausible: UInt64 = 10_000_000_000

  /// Whether this can be the time on `CLOCK_MONOTONIC` of a frame that came at `arrival`.
  package func isPlausible(arrival: UInt64) -> Bool {
    (nanoseconds > arrival ? nanoseconds - arrival : arrival - nanoseconds) < Self.plausible
  }

  /// This timestamp, or where it is of another clock than `CLOCK_MONOTONIC`, that of the frame's arrival. A frame arrives at its end.
  package func monotonic(arrival: UInt64) -> FrameTimestamp {
    clock == .monotonic ? self : FrameTimestamp(nanoseconds: arrival, clock: .monotonic, source: .endOfFrame)
  }
}

/// Why frames are missing.
public struct StreamDiscontinuity: Hashable, Sendable {
  /// What happened to a stream.
  public enum Kind: Sendable {
    /// The camera gave no frames for a while, and its stream was restarted.
    case resumed
    /// The stream has another format from here on.
    case reconfigured
  }
  /// What happened to the stream.
  public var kind: Kind
  /// For a person.
  public var reason: String
  /// How long the camera was unplugged before; `nil`: it was not.
  package var away: Duration?

  public init(_ kind: Kind, reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
