public import CaptureModel
internal import CaptureWire

/// The settings of a timelapse.
public struct Timelapse: Hashable, Sendable {
  /// 1 s to 7 days. Photos are taken at the start and at each whole interval after it, on the node's clock, without drift.
  public var interval: Duration
  /// At least 1; `nil`: until it is stopped.
  public var count: UInt64?
  /// The settings of its photos. All photos are kept in the node's library, and the moment of each is the next frame.
  public var photo = PhotoSettings()
  /// Whether exposure and white balance are locked as they are for the first photo. Their modes come back at the end.
  public var locksExposure = false
  /// The labels of each photo in the library.
  public var labels: [String] = []

  public init(interval: Duration, count: UInt64? = nil) { (self.interval, self.count) = (interval, count) }
}

/// The changes of a node's jobs. A slow reader gets only the latest change of each job.
public typealias NodeJobEvents = ResumingEvents<NodeJobEvent>

extension RemoteNode {
  /// The node's jobs, the latest first.
  /// Throws `unavailable` where the node is not reached.
  public func jobs() async throws(CaptureError) -> [NodeJob] {
    try await convertingErrors { () async throws(RPCError) in
      try await JobsClient(connection).list(options: callOptions).jobs.map(\.model)
    }
  }

  /// Stops a job. Its photos stay.
  /// Throws `notFound` where there is no such job, and `permissionDenied` where it is another client's.
  @discardableResult
  public func stopJob(_ id: String) async throws(CaptureError) -> NodeJob {
    try await control(id, .stop)
  }

  /// Forgets a job; one that runs is stopped first. Its photos stay.
  /// Throws `notFound` where there is no such job, and `permissionDenied` where it is another client's.
  @discardableResult
  public func removeJob(_ id: String) async throws(CaptureError) -> NodeJob {
    try await control(id, .remove)
  }

  private func control(_ id: String, _ action: ControlJobRequest.Action) async throws(CaptureError) -> NodeJob
  {
    try await convertingErrors { () async throws(RPCError) in
      try await JobsClient(connection).control(
        ControlJobRequest(id: id, action: action), options: callOptions
      ).model
    }
  }

  /// Reports first the present jobs, then every change. `id`: the only job to report; `nil`: all jobs.
  ///
  /// It does not end by itself (``ResumingEvents``), also when the only job has ended or was removed. A slow reader gets only the latest change of each
  /// job. Throws `notFound` where there is no job `id`, also where it was removed while the connection was away, and `resourceExhausted` where too many
  /// clients watch.
  public func jobEvents(_ id: String? = nil) -> NodeJobEvents {
    NodeJobEvents(
      connection,
      open: { connection throws(RPCError) in
        try await JobsClient(connection).watch(
          WatchJobsRequest(id: id ?? ""), options: CallOptions(window: 64))
      },
      read: { $0.model })
  }
}

extension Camera {
  /// Begins a timelapse on the node. It goes on without this client, and over restarts of the node. Its photos go into the node's library.
  ///
  /// Throws `invalidArgument` for an interval or photo settings that are not possible: the photos of a timelapse have no other moment than the next
  /// frame, no preview and no request id. Throws `resourceExhausted` where the library has no room, and `failedPrecondition` where the node has no
  /// library.
  public func startTimelapse(_ timelapse: Timelapse) async throws(CaptureError) -> NodeJob {
    do throws(CaptureError) { try timelapse.photo.validate() } catch { throw error.ofTimelapse }
    guard timelapse.count != 0 else {
      throw CaptureError(
        .invalidArgument,
        "a timelapse has at least one photo; without a count it runs until it is stopped",
        .init(.valueOutOfRange, field: "timelapse.count", asked: .number(0)))
    }
    return try await convertingErrors { () async throws(RPCError) in
      let settings = CaptureWire.TimelapseSettings(
        timelapse.photo.message, device: name, every: timelapse.interval, count: timelapse.count,
        locksExposure: timelapse.locksExposure, labels: timelapse.labels)
      return try await JobsClient(node.connection).start(
        StartJobRequest(timelapse: settings), options: node.callOptions
      ).model
    }
  }
}
