/// The moment that a photo is to show.
public enum PhotoTime: Hashable, Sendable {
  /// The first frame whose exposure began after the request, once the camera has settled.
  case next
  /// The newest frame of the stream that runs.
  case now
  /// The frame that is nearest to the moment that lies this long before the request.
  case ago(Duration)
  /// The frame that is nearest to a moment of the node's `CLOCK_MONOTONIC`, in nanoseconds, past or to come. That clock begins anew with each boot.
  case node(UInt64, bootID: String)
  /// The frame that is nearest to a moment in nanoseconds since 1970, by the node's clock, past or to come.
  case utc(Int64)

  /// How far ahead a moment may lie: no photo is awaited for longer.
  public static let furthestAhead = Duration.seconds(3600)
  /// The place in the request.
  package static let field = "settings.when"

  /// The place of this moment in the request: "settings.when.utc_ns".
  package var path: String {
    let name =
      switch self {
      case .next: "next"
      case .now: "now"
      case .ago: "ago_ns"
      case .node: "node_ns"
      case .utc: "utc_ns"
      }
    return "\(Self.field).\(name)"
  }
}

/// How near the frame of a photo is to the moment that was asked for.
public struct PhotoNearness: Hashable, Sendable {
  /// The time from that moment to the beginning of the frame's exposure; negative where the frame is earlier. For ``PhotoTime/now`` the moment is the
  /// request's arrival.
  public var distance: Duration
  /// How the beginning of the exposure is known.
  public var provenance: Provenance

  public init(_ distance: Duration, _ provenance: Provenance) {
    (self.distance, self.provenance) = (distance, provenance)
  }
}

/// How far back the kept frames of a stream go.
public struct RecentReach: Hashable, Sendable {
  /// The time from the oldest frame to the newest.
  public var duration: Duration
  /// How many frames are kept.
  public var frames: Int
  /// The bytes of memory that the kept frames take.
  public var bytes: Int
  /// How many bytes may be kept.
  public var bound: Int

  public init(duration: Duration, frames: Int, bytes: Int, bound: Int) {
    (self.duration, self.frames, self.bytes, self.bound) = (duration, frames, bytes, bound)
  }
}
