/// Work of a node that goes on without the client that began it: a timelapse.
public struct NodeJob: Hashable, Sendable, Identifiable {
  /// The state of a job.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// It runs.
    case running
    /// All of its ticks are over.
    case done
    /// A client stopped it.
    case stopped
    /// A newer node has more states.
    case unknown
  }

  /// "timelapse-1a2b3c4d"; the `LibraryAsset.sequence` of its photos.
  public var id: String
  /// Whether it runs, or how it ended.
  public var state: State
  /// The camera's identity.
  public var camera: CameraID
  /// The time between two photos.
  public var interval: Duration
  /// How many ticks it has; `nil`: it runs until it is stopped.
  public var count: UInt64?
  /// Whether exposure and white balance are locked as they were for the first photo.
  public var locksExposure = false
  /// The labels of its photos.
  public var labels: [String] = []
  /// Its first tick, in nanoseconds since 1970 in UTC.
  public var started: Int64
  /// How many ticks have a photo.
  public var done: UInt64 = 0
  /// How many ticks have no photo, since the node was off or the photo before took too long.
  public var missed: UInt64 = 0
  /// How many ticks have a photo that could not be taken.
  public var failed: UInt64 = 0
  /// How many ticks in a row were missed most recently.
  public var missedLast: UInt64 = 0
  /// The name of its latest photo in the library; `nil`: there is none.
  public var lastAsset: String?
  /// Why the latest tick failed; `nil`: it did not.
  public var lastError: String?
  /// The next tick, in nanoseconds since 1970 in UTC; `nil`: there is none.
  public var next: Int64?

  package init(id: String, state: State, camera: CameraID, interval: Duration, started: Int64) {
    (self.id, self.state, self.camera, self.interval, self.started) = (id, state, camera, interval, started)
  }
}
