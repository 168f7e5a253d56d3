import CaptureEngine
import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

import class CaptureEngine.Device

/// `capture.v1.Jobs`: work of the node that outlives the client that began it.
struct JobsEndpoint: JobsService {
  let engine: ServedEngine
  let library: NodeLibrary
  let jobs: NodeJobs

  func start(_ request: StartJobRequest, context: CallContext) async throws -> Job {
    guard var settings = request.timelapse else {
      throw CaptureError(
        .invalidArgument, "the job is missing; there are timelapses",
        .init(.valueMissing, field: "timelapse", possible: ["timelapse"]))
    }
    let library = try library.opened(to: .add, context).library
    try settings.validate()
    // The job keeps the camera's identity, since an index or a part of a name may come to mean another camera.
    let device: Device
    do throws(CaptureError) { device = try engine.seen(by: context).device(settings.device) } catch {
      throw error.below("timelapse")
    }
    settings.device = device.id.rawValue
    try await requirePossible(settings, on: device)
    try await library.requireRoom()
    let user = context.clientName == nil && !context.owner.isEmpty ? context.owner : nil
    let (id, entry) = try await jobs.start(settings, for: context.clientName, user: user)
    return await entry.memory.message(id, entry.settings).seen(by: engine.seen(by: context))
  }

  /// Throws for photos that the camera could never take, so that the job does not fail at each tick. Does not throw for photos that the camera cannot
  /// take just now: only their ticks fail.
  private func requirePossible(
    _ settings: CaptureWire.TimelapseSettings, on device: Device
  ) async throws {
    let wanted = try CapturePhotoRequest(device: settings.device, settings: settings.photo).model()
    do {
      _ = try await device.run { try await $0.photos.resolve(wanted, on: $0) }
    } catch let error as CaptureError {
      guard error.code == .invalidArgument else { return }
      throw error.ofRendition(at: CapturePhotoRequest.renditionPath).ofTimelapse
    }
  }

  func list(_ request: ListJobsRequest, context: CallContext) async throws -> JobList {
    let seen = engine.seen(by: context)
    var list = JobList()
    for (id, entry) in await jobs.all(among: context.caller.cameras) {
      list.jobs.append(await entry.memory.message(id, entry.settings).seen(by: seen))
    }
    return list
  }

  func control(_ request: ControlJobRequest, context: CallContext) async throws -> Job {
    _ = try library.policy.owner(.add, context)
    guard request.action == .stop || request.action == .remove else {
      throw CaptureError(
        .invalidArgument, "a job can be stopped and removed",
        .init(.valueNotPossible, field: "action", possible: ["STOP", "REMOVE"]))
    }
    let seen = engine.seen(by: context)
    let scope = context.caller.cameras
    if let entry = try? await jobs.entry(request.id, among: context.caller.visible) {
      try seen.permit(CameraID(rawValue: entry.settings.device))
      guard context.owns(entry.memory.owner) else {
        throw CaptureError(
          .permissionDenied,
          "the job \(request.id.quoted) is another client's: that client and an admin may stop and remove it",
          .init(.notPermitted, field: "id", asked: .text(request.id)))
      }
    }
    let entry =
      request.action == .stop
      ? try await jobs.stop(request.id, among: scope) : try await jobs.remove(request.id, among: scope)
    context.cameras?.add(CameraID(rawValue: entry.settings.device))
    return await entry.memory.message(request.id, entry.settings).seen(by: seen)
  }

  func watch(
    _ request: WatchJobsRequest, context: CallContext, responses: ResponseWriter<JobEvent>
  ) async throws {
    let id = request.id.isEmpty ? nil : request.id
    let (seen, scope) = (engine.seen(by: context), context.caller.cameras)
    if let id { _ = try await jobs.entry(id, among: scope) }
    var last: UInt64?
    for await _ in try await jobs.signals() {
      let (changes, revision) = await jobs.changes(after: last, of: id, among: scope)
      last = revision
      for change in changes { try await responses.raw.send(await change.raw(seenBy: seen)) }
    }
    try Task.checkCancellation()
    throw CaptureError.nodeDraining
  }
}

extension NodeJobs.Change {
  // This is not inlined: while `watch` waits, it would keep memory for the message and for all that making it needs.
  @inline(never)
  fileprivate func raw(seenBy engine: SeenEngine) async -> RawMessage {
    var event = message
    event.job = await event.job?.seen(by: engine)
    return event.raw()
  }

  private var message: JobEvent {
    switch self {
    case .present(let id, let memory, let settings): JobEvent(.present, memory.message(id, settings))
    case .changed(let id, let memory, let settings): JobEvent(.changed, memory.message(id, settings))
    case .removed(let id): JobEvent(removed: id)
    }
  }
}

extension Job {
  fileprivate func seen(by engine: SeenEngine) async -> Job {
    var job = self
    job.lastError = await engine.redacted(kept: lastError)
    return job
  }
}

extension JobMemory {
  func message(_ id: String, _ settings: CaptureWire.TimelapseSettings) -> Job {
    let state: NodeJob.State =
      switch self.state {
      case .running: .running
      case .done: .done
      case .stopped: .stopped
      }
    var job = NodeJob(id, state, of: settings, started: startedUTC)
    (job.done, job.missed, job.failed, job.missedLast) = (done, missed, failed, missedLast)
    (job.lastAsset, job.lastError) = (lastAsset, lastError)
    let next = tick.map { $0 + 1 } ?? 0
    if state == .running, settings.count == 0 || next < settings.count {
      job.next = startedUTC + Int64(clamping: next) * Int64(settings.intervalMs) * 1_000_000
    }
    return Job(job, timelapse: settings, tick: tick ?? 0)
  }
}

extension CaptureWire.TimelapseSettings {
  fileprivate static let intervals: ClosedRange<UInt64> = 1_000...604_800_000

  /// Throws `invalidArgument` for a timelapse that no node could take.
  fileprivate func validate() throws(CaptureError) {
    guard Self.intervals.contains(intervalMs) else {
      throw CaptureError(
        .invalidArgument, "an interval of \(intervalMs) ms; a timelapse has 1 s to 7 days between its photos",
        .init(
          .valueOutOfRange, field: "timelapse.interval_ms", asked: .number(Double(intervalMs)),
          range: .init(Double(Self.intervals.lowerBound), Double(Self.intervals.upperBound))))
    }
    guard count <= 1 << 40 else {
      throw CaptureError(
        .invalidArgument, "a timelapse of \(count) photos; it has at most \(1 << 40), or 0: no end",
        .init(
          .valueOutOfRange, field: "timelapse.count", asked: .number(Double(count)),
          range: .init(0, Double(1 << 40))))
    }
    guard [.unspecified, .never, .first].contains(lockExposure) else {
      throw CaptureError(
        .invalidArgument, "the node knows no way \(lockExposure.rawValue) to lock the exposure",
        .init(
          .valueNotPossible, field: "timelapse.lock_exposure", asked: .number(Double(lockExposure.rawValue)),
          possible: ["NEVER", "FIRST"]))
    }
    for label in labels { try AssetLabel.validate(label, field: "timelapse.labels") }
    guard Set(labels).count <= AssetLabel.most else {
      throw NodeLimit.labelsPerAsset.exceeded("each photo would have \(labels.count) labels")
    }
    do throws(CaptureError) {
      _ = try CapturePhotoRequest(device: device, settings: photo).model()
      try photo?.requireStorable()
      try photo?.requireSingle()
    } catch {
      throw error.ofTimelapse
    }
    guard [.unspecified, .only].contains(photo?.store ?? .unspecified) else {
      throw CaptureError(
        .invalidArgument,
        "the photos of a timelapse are always stored: leave out how they are stored",
        .init(
          .valueNotPossible, field: "timelapse.photo.store",
          asked: .number(Double(photo?.store.rawValue ?? 0)),
          possible: ["ONLY"]))
    }
    if let settle = photo?.settle, settle.longestMs > intervalMs {
      throw CaptureError(
        .invalidArgument, "a photo may settle for \(settle.longestMs) ms, which is longer than the interval",
        .init(
          .valueOutOfRange, field: "timelapse.photo.settle.longest_ms",
          asked: .number(Double(settle.longestMs)), range: .init(0, Double(intervalMs))))
    }
  }
}
