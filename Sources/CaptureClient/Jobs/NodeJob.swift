public import CaptureModel
internal import CaptureWire

/// Work of a node that goes on without the client that began it: a timelapse.
public struct NodeJob: Hashable, Sendable, Identifiable {
  /// Whether a job goes on.
  public enum State: String, Hashable, Sendable {
    /// It goes on.
    case running
    /// All of its ticks are over.
    case done
    /// A client stopped it.
    case stopped
    /// A newer node has more states.
    case unknown
  }

  /// "timelapse-1a2b3c4d"; the ``LibraryAsset/sequence`` of its photos.
  public var id: String
  /// Whether it goes on.
  public var state: State
  /// The camera's identity.
  public var camera: CameraID
  /// The time between two photos.
  public var interval: Duration
  /// How many ticks it has; `nil`: it goes on until it is stopped.
  public var count: UInt64?
  /// Whether exposure and white balance are locked as they were for the first photo.
  public var locksExposure: Bool
  /// The labels of its photos.
  public var labels: [String]
  /// Its first tick, in nanoseconds since 1970 in UTC.
  public var started: Int64
  /// How many ticks have a photo.
  public var done: UInt64
  /// How many ticks have none, since the node was off or the photo before took too long.
  public var missed: UInt64
  /// How many ticks have a photo that failed.
  public var failed: UInt64
  /// How many ticks in a row were missed last.
  public var missedLast: UInt64
  /// The name of its latest photo in the library; `nil`: there is none.
  public var lastAsset: String?
  /// Why the latest tick failed; `nil`: it did not.
  public var lastError: String?
  /// The next tick, in nanoseconds since 1970 in UTC; `nil`: there is none.
  public var next: Int64?

  init(_ job: Job) {
    id = job.id
    state =
      switch job.state {
      case .running: .running
      case .done: .done
      case .stopped: .stopped
      default: .unknown
      }
    let settings = job.timelapse ?? CaptureWire.TimelapseSettings()
    camera = CameraID(rawValue: settings.device)
    interval = .milliseconds(Int64(clamping: settings.intervalMs))
    count = settings.count == 0 ? nil : settings.count
    locksExposure = settings.lockExposure == .first
    labels = settings.labels
    (started, done, missed, failed) = (job.startedUtcNs, job.done, job.missed, job.failed)
    missedLast = job.missedLast
    lastAsset = job.lastAsset.isEmpty ? nil : job.lastAsset
    lastError = job.lastError.isEmpty ? nil : job.lastError
    next = job.nextUtcNs == 0 ? nil : job.nextUtcNs
  }
}

/// How a timelapse is wanted.
public struct Timelapse: Hashable, Sendable {
  /// 1 s to 7 days. Photos are taken at the start and at each whole interval after it, on the node's clock, without drift.
  public var interval: Duration
  /// `nil`: until it is stopped.
  public var count: UInt64?
  /// How photos are wanted. All are kept in the node's library.
  public var photo = PhotoSettings()
  /// Whether exposure and white balance are locked as they are for the first photo. Their modes come back at the end.
  public var locksExposure = false
  /// For each photo.
  public var labels: [String] = []

  public init(interval: Duration, count: UInt64? = nil) { (self.interval, self.count) = (interval, count) }
}

/// What happened to a job.
public struct NodeJobEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, Hashable, Sendable {
    /// It was there when the watch began.
    case present
    /// It began, took a photo, missed one, or ended.
    case changed
    /// Only its name is known.
    case removed
  }
  /// What happened.
  public var kind: Kind
  /// The job as it is now.
  public var job: NodeJob
}

/// The changes of a node's jobs. Of a slow reader's only the latest of each job is kept.
public typealias NodeJobEvents = ResumingEvents<NodeJobEvent>

extension RemoteNode {
  /// The node's jobs, the latest first.
  public func jobs() async throws(CaptureError) -> [NodeJob] {
    try await capturing { () async throws(RPCError) in
      try await JobsClient(connection).list(options: callOptions).jobs.map { NodeJob($0) }
    }
  }

  /// Stops a job. Its photos stay.
  @discardableResult
  public func stopJob(_ id: String) async throws(CaptureError) -> NodeJob {
    try await control(id, .stop)
  }

  /// Forgets a job; one that runs is stopped first. Its photos stay.
  @discardableResult
  public func removeJob(_ id: String) async throws(CaptureError) -> NodeJob {
    try await control(id, .remove)
  }

  private func control(_ id: String, _ action: ControlJobRequest.Action) async throws(CaptureError) -> NodeJob
  {
    try await capturing { () async throws(RPCError) in
      NodeJob(
        try await JobsClient(connection).control(
          ControlJobRequest(id: id, action: action), options: callOptions))
    }
  }

  /// Reports first the present jobs, then every change; of one job or of all.
  public func jobEvents(_ id: String? = nil) -> NodeJobEvents {
    NodeJobEvents(
      connection,
      open: { connection throws(RPCError) in
        try await JobsClient(connection).watch(
          WatchJobsRequest(id: id ?? ""), options: CallOptions(window: 64))
      },
      read: { event in
        guard let job = event.job else { return nil }
        switch event.kind {
        case .present: return NodeJobEvent(kind: .present, job: NodeJob(job))
        case .changed: return NodeJobEvent(kind: .changed, job: NodeJob(job))
        case .removed: return NodeJobEvent(kind: .removed, job: NodeJob(job))
        default: return nil
        }
      })
  }
}

extension Camera {
  /// Begins a timelapse on the node. It goes on without this client, and over restarts of the node. Its photos go into the node's library.
  public func startTimelapse(_ timelapse: Timelapse) async throws(CaptureError) -> NodeJob {
    try await capturing { () async throws(RPCError) in
      let settings = CaptureWire.TimelapseSettings(
        device: name, intervalMs: UInt64(clamping: Int64((timelapse.interval / .milliseconds(1)).rounded())),
        count: timelapse.count ?? 0,
        photo: CapturePhotoRequest(device: name, timelapse.photo.request).settings,
        lockExposure: timelapse.locksExposure ? .first : .never, labels: timelapse.labels)
      return NodeJob(
        try await JobsClient(node.connection).start(
          StartJobRequest(timelapse: settings), options: node.callOptions))
    }
  }
}
