package import CaptureModel

extension Job {
  /// `timelapse`: the settings with which the job was begun; the model has a part of them. `tick`: the latest tick that was done, missed or failed.
  package init(_ job: NodeJob, timelapse: TimelapseSettings, tick: UInt64) {
    self.init(
      id: job.id, state: JobState(job.state), timelapse: timelapse, startedUtcNs: job.started, done: job.done,
      missed: job.missed, failed: job.failed, tick: tick,
      lastAsset: job.lastAsset ?? "", lastError: job.lastError ?? "", nextUtcNs: job.next ?? 0,
      missedLast: job.missedLast)
  }

  /// The job. One of a kind that this version does not know has the settings of an empty timelapse.
  package var model: NodeJob {
    var job = NodeJob(
      id, state.known ?? .unknown, of: timelapse ?? TimelapseSettings(), started: startedUtcNs)
    (job.done, job.missed, job.failed, job.missedLast) = (done, missed, failed, missedLast)
    job.lastAsset = lastAsset.isEmpty ? nil : lastAsset
    job.lastError = lastError.isEmpty ? nil : lastError
    job.next = nextUtcNs == 0 ? nil : nextUtcNs
    return job
  }
}

/// The model's last state stands for those that this version does not know.
extension JobState: NumberedOnWire { package typealias Model = NodeJob.State }

extension JobEvent {
  package init(_ kind: NodeJobEvent.Kind, _ job: Job) { self.init(kind: Kind(kind), job: job) }

  /// The event of a job that is gone.
  package init(removed id: String) { self.init(.removed, Job(id: id)) }

  /// `nil` for a kind of event that only newer nodes know, and for an event without a job.
  package var model: NodeJobEvent? {
    guard let job, let kind = kind.known else { return nil }
    return NodeJobEvent(kind, job.model)
  }
}

extension JobEvent.Kind: NumberedOnWire { package typealias Model = NodeJobEvent.Kind }
