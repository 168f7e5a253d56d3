import CaptureClient
import CaptureModel
import CaptureWire

@Sendable func showStatus(_ context: CommandContext) async throws {
  let status = try await context.node.status()
  try context.print(json(status), text: text(status, width: Terminal.width))
}

private func json(_ status: NodeStatus) -> JSON {
  [
    "uptime_ms": JSON(status.uptimeMs), "clients": JSON(status.clients),
    "clients_total": JSON(status.clientsTotal), "clients_refused": JSON(status.clientsRefused),
    "calls": JSON(status.calls), "calls_total": JSON(status.callsTotal),
    "calls_failed": JSON(status.callsFailed), "leases": JSON(status.leases),
    "frames_discarded": JSON(status.framesDiscarded), "descriptors": JSON(status.descriptors),
    "descriptors_limit": JSON(status.descriptorsLimit), "resident_bytes": JSON(status.residentBytes),
    "threads": JSON(status.threads), "cpu_ns": JSON(status.cpuNs),
    "cameras": .array(status.cameras.map(json)),
  ]
}

private func json(_ camera: CameraStatus) -> JSON {
  [
    "index": JSON(camera.index), "id": .string(camera.id), "streaming": .bool(camera.streaming),
    "pixel_format": camera.streaming ? JSON(PixelFormat(rawValue: camera.pixelFormat)) : .null,
    "size": camera.size?.model.map { JSON($0) } ?? .null,
    "interval": camera.interval?.model.map { JSON($0) } ?? .null,
    "measured_fps": .number(camera.measuredFps, decimals: 2), "subscribers": JSON(camera.subscribers),
    "frames": JSON(camera.frames), "frames_flagged": JSON(camera.framesFlagged),
    "frames_lost": JSON(camera.framesLost), "frames_discarded": JSON(camera.framesDiscarded),
    "frames_encoded": JSON(camera.framesEncoded), "frames_corrupt": JSON(camera.framesCorrupt),
    "encode_ns": JSON(camera.encodeNs), "restarts": JSON(camera.restarts), "buffers": JSON(camera.buffers),
    "buffers_lent": JSON(camera.buffersLent), "last_error": .string(camera.lastError),
    "last_error_age_ms": camera.lastError.isEmpty ? .null : JSON(camera.lastErrorAgeMs),
    "response": .string(Responsiveness(camera.response).word),
    "input": camera.input.map { JSON($0.model) } ?? .null,
  ]
}

/// The legend of the table of cameras.
private let legend =
  "LOST: gaps in the camera's numbering. BAD: flagged by the driver, or corrupt. DISC: discarded, newer frames took their places. "
  + "RESTART: of the stream, after a stall or an error. ENC: encoded as JPEG. LENT: in use, of the driver's buffers."

func text(_ status: NodeStatus, width: Int?) -> String {
  let cpu = Double(status.cpuNs) / 1e6 / Double(max(status.uptimeMs, 1)) * 100
  var text = listText(
    [
      (
        "Up", "\(durationText(milliseconds: status.uptimeMs)), using \(fixed(cpu, 1)) % of a core on average"
      ),
      (
        "Clients",
        "\(status.clients) now, \(status.clientsTotal) since the start, \(status.clientsRefused) refused"
      ),
      (
        "Calls", "\(status.calls) running, \(status.callsTotal) since the start, \(status.callsFailed) failed"
      ),
      ("Leases", "\(status.leases)"),
      (
        "Discarded",
        "\(framesText(status.framesDiscarded)): clients were too slow for them, or they were corrupt"
      ),
      ("Descriptors", "\(status.descriptors) of \(status.descriptorsLimit)"),
      ("Memory", "\(bytesText(status.residentBytes)), \(status.threads) threads"),
    ], width: width)
  guard !status.cameras.isEmpty else { return text }
  var table = TextTable([
    .init("CAM", isNumber: true), .init("STREAM", isFlexible: true), .init("FPS", isNumber: true),
    .init("CLIENTS", isNumber: true), .init("FRAMES", isNumber: true), .init("LOST", isNumber: true),
    .init("BAD", isNumber: true), .init("DISC", isNumber: true), .init("RESTART", isNumber: true),
    .init("ENC", isNumber: true), .init("LENT", isNumber: true),
  ])
  for camera in status.cameras {
    let size = camera.size?.model.map { " \($0)" } ?? ""
    let interval = camera.interval?.model.map { " at \($0)" } ?? ""
    table.add(
      "\(camera.index)",
      camera.streaming ? "\(PixelFormat(rawValue: camera.pixelFormat))\(size)\(interval)" : "idle",
      camera.streaming ? fixed(camera.measuredFps, 1) : "-", "\(camera.subscribers)", "\(camera.frames)",
      "\(camera.framesLost)", "\(camera.framesFlagged + camera.framesCorrupt)",
      "\(camera.framesDiscarded)", "\(camera.restarts)", "\(camera.framesEncoded)",
      "\(camera.buffersLent)/\(camera.buffers)")
  }
  text += "\n" + table.text(width: width) + "\n"
  text += (width.map { legend.wrapped(to: $0) } ?? [legend]).map { "\($0)\n" }.joined()
  for camera in status.cameras {
    if let words = Responsiveness(camera.response).words {
      text += "\n" + paragraph("Camera \(camera.index) is \(words).", width: width)
    }
  }
  for camera in status.cameras {
    if let problem = camera.input?.model.problem {
      text += "\n" + paragraph("Camera \(camera.index): \(problem.printable).", width: width)
    }
  }
  for camera in status.cameras where !camera.lastError.isEmpty {
    // An older node does not report the time.
    let age = camera.lastErrorAgeMs > 0 ? ", \(durationText(milliseconds: camera.lastErrorAgeMs)) ago" : ""
    text +=
      "\n"
      + paragraph("Camera \(camera.index), last error\(age): \(camera.lastError.printable)", width: width)
  }
  return text
}
