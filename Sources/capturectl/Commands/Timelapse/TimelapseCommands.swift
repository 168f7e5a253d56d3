import CaptureClient
import CaptureOptions

@Sendable func startTimelapse(_ context: CommandContext) async throws {
  let arguments = context.arguments
  guard let interval = arguments[Options.interval] else {
    throw Misuse("name the time between photos with --interval SECONDS")
  }
  var timelapse = Timelapse(interval: interval, count: arguments[Options.ticks].map { UInt64($0) })
  timelapse.photo = try photoSettings(arguments)
  timelapse.photo.fileTypes = arguments[Options.keptFormat] ?? [.jpeg]
  timelapse.locksExposure = arguments[Options.lockExposure] == "first"
  timelapse.labels = arguments.all(Options.newLabel)
  let job = try await context.camera.startTimelapse(timelapse)
  try context.print(JSON(job), text: "Started \(job.id).\n")
}

@Sendable func listTimelapses(_ context: CommandContext) async throws {
  let jobs = try await context.node.jobs()
  try context.print(["jobs": jobs], text: jobTable(jobs))
}

@Sendable func stopTimelapse(_ context: CommandContext) async throws {
  let id = context.arguments[Options.job]!
  let job =
    context.arguments[Options.remove]
    ? try await context.node.removeJob(id) : try await context.node.stopJob(id)
  try context.print(JSON(job), text: "\(jobLine(job))\n")
}

@Sendable func watchTimelapses(_ context: CommandContext) async throws {
  for try await event in context.node.jobEvents(context.arguments[Options.optionalJob]) {
    event.resumption?.tell("timelapses")
    let job: JSON = event.kind == .removed ? ["id": event.job.id] : JSON(event.job)
    try context.print(
      ["event": event.kind.rawValue, "job": job, "resumption": event.resumption],
      text: event.kind == .removed ? "\(event.job.id): removed\n" : "\(jobLine(event.job))\n")
  }
}

/// "timelapse-1a2b3c4d: running, 12 photos, 2 missed; latest 2026…"
private func jobLine(_ job: NodeJob) -> String {
  var text = "\(job.id): \(job.state.rawValue), \(job.done) photos"
  if job.missed > 0 { text += ", \(job.missed) missed" }
  if job.failed > 0 { text += ", \(job.failed) failed" }
  if let asset = job.lastAsset { text += "; latest \(asset)" }
  if let error = job.lastError { text += "; \(error)" }
  return text
}

private func jobTable(_ jobs: [NodeJob]) -> String {
  guard !jobs.isEmpty else { return "The node has no timelapses.\n" }
  return TextTable(
    "JOB", "STATE", .flexible("CAMERA"), .number("EVERY"), .number("PHOTOS"), .number("MISSED"),
    .number("FAILED"), "STARTED", "NEXT", .flexible("PROBLEM"), of: jobs
  ) { job in
    [
      job.id, job.state.rawValue, job.camera.rawValue,
      durationText(milliseconds: UInt64(max(0, job.interval / .milliseconds(1)))),
      job.count.map { "\(job.done) of \($0)" } ?? "\(job.done)", "\(job.missed)", "\(job.failed)",
      Moment.text(job.started), job.next.map(Moment.text) ?? "", job.lastError ?? "",
    ]
  }.text()
}

extension NodeJob: JSONValue {
  var json: JSON {
    [
      "id": id, "state": state.rawValue, "camera": camera.rawValue,
      "interval_seconds": JSON.number(interval / .seconds(1), decimals: 3), "count": count,
      "lock_exposure": locksExposure ? "first" : "never", "labels": labels, "started_ns": started,
      "done": done, "missed": missed, "missed_last": missedLast, "failed": failed, "last_asset": lastAsset,
      "last_error": lastError, "next_ns": next, "clock": "UTC",
    ]
  }
}
