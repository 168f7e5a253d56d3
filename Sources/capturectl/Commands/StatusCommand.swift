import CaptureClient

@Sendable func showStatus(_ context: CommandContext) async throws {
  let status = try await context.node.status()
  try context.print(json(status), text: text(status, width: Terminal.width))
}

private func json(_ status: NodeStatus) -> JSON {
  [
    "uptime_ms": JSON(milliseconds(status.uptime)), "clients": JSON(status.clients),
    "clients_total": JSON(status.clientsTotal), "clients_refused": JSON(status.clientsRefused),
    "calls": JSON(status.calls), "calls_total": JSON(status.callsTotal),
    "calls_failed": JSON(status.callsFailed), "leases": JSON(status.leases),
    "frames_discarded": JSON(status.framesDiscarded), "descriptors": JSON(status.descriptors),
    "descriptors_limit": JSON(status.descriptorsLimit), "resident_bytes": JSON(status.residentBytes),
    "threads": JSON(status.threads), "cpu_ns": JSON(status.processorTime.wholeNanoseconds),
    "cameras": .array(status.cameras.map(json)),
    "state_failure": status.stateFailure.map { failure in
      ["message": .string(failure.message), "age_ms": JSON(milliseconds(failure.age))]
    } ?? .null,
    "warnings": .array(status.warnings.map(JSON.string)),
    "viewers": .array(status.viewers.map { JSON($0) }),
  ]
}

private func json(_ camera: CameraStatus) -> JSON {
  [
    "index": JSON(camera.index), "id": .string(camera.id.rawValue), "streaming": .bool(camera.isStreaming),
    "pixel_format": camera.isStreaming ? camera.pixelFormat.map { JSON($0) } ?? .null : .null,
    "size": camera.size.map { JSON($0) } ?? .null,
    "interval": camera.interval.map { JSON($0) } ?? .null,
    "measured_fps": .number(camera.measuredRate, decimals: 2), "subscribers": JSON(camera.subscribers),
    "frames": JSON(camera.frames), "frames_flagged": JSON(camera.framesFlagged),
    "frames_lost": JSON(camera.framesLost), "frames_discarded": JSON(camera.framesDiscarded),
    "frames_encoded": JSON(camera.framesEncoded), "frames_corrupt": JSON(camera.framesCorrupt),
    "encode_ns": JSON(camera.encodingTime.wholeNanoseconds), "restarts": JSON(camera.restarts),
    "buffers": JSON(camera.buffers),
    "buffers_lent": JSON(camera.buffersLent), "last_error": .string(camera.lastError ?? ""),
    "last_error_age_ms": camera.lastError == nil ? .null : JSON(milliseconds(camera.lastErrorAge ?? .zero)),
    "response": .string(camera.response.word),
    "input": camera.input.map { JSON($0) } ?? .null,
  ]
}

private func milliseconds(_ time: Duration) -> UInt64 { UInt64(max(0, min(time / .milliseconds(1), 1e18))) }

/// The legend of the table of cameras.
private let legend =
  "LOST: gaps in the camera's numbering. BAD: flagged by the driver, or corrupt. DISC: discarded, newer frames took their places. "
  + "RESTART: of the stream, after a stall or an error. ENC: encoded as JPEG. LENT: in use, of the driver's buffers."

func text(_ status: NodeStatus, width: Int?) -> String {
  let cpu = status.processorTime / max(status.uptime, .milliseconds(1)) * 100
  var text = listText(
    [
      (
        "Up",
        "\(durationText(milliseconds: milliseconds(status.uptime))), using \(fixed(cpu, 1)) % of a core on average"
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
  if let failure = status.stateFailure {
    text +=
      "\n"
      + paragraph(
        "Warning: for \(durationText(milliseconds: milliseconds(failure.age))) \(failure.message.printable); what clients set holds until the node ends.",
        width: width)
  }
  for warning in status.warnings {
    text += "\n" + paragraph("Warning: \(warning.printable)", width: width)
  }
  guard !status.cameras.isEmpty else { return text }
  var table = TextTable([
    .init("CAM", isNumber: true), .init("STREAM", isFlexible: true), .init("FPS", isNumber: true),
    .init("CLIENTS", isNumber: true), .init("FRAMES", isNumber: true), .init("LOST", isNumber: true),
    .init("BAD", isNumber: true), .init("DISC", isNumber: true), .init("RESTART", isNumber: true),
    .init("ENC", isNumber: true), .init("LENT", isNumber: true),
  ])
  for camera in status.cameras {
    let size = camera.size.map { " \($0)" } ?? ""
    let interval = camera.interval.map { " at \($0)" } ?? ""
    table.add(
      "\(camera.index)",
      camera.isStreaming ? "\(camera.pixelFormat.map { "\($0)" } ?? "")\(size)\(interval)" : "idle",
      camera.isStreaming ? fixed(camera.measuredRate, 1) : "-", "\(camera.subscribers)", "\(camera.frames)",
      "\(camera.framesLost)", "\(camera.framesFlagged &+ camera.framesCorrupt)",
      "\(camera.framesDiscarded)", "\(camera.restarts)", "\(camera.framesEncoded)",
      "\(camera.buffersLent)/\(camera.buffers)")
  }
  text += "\n" + table.text(width: width) + "\n"
  text += (width.map { legend.wrapped(to: $0) } ?? [legend]).map { "\($0)\n" }.joined()
  if !status.viewers.isEmpty {
    let indices = Dictionary(status.cameras.map { ($0.id, $0.index) }) { first, _ in first }
    text +=
      "\n"
      + viewersText(status.viewers, width: width, title: "CAM") { id in
        indices[id].map { "\($0)" } ?? id.rawValue
      }
  }
  for camera in status.cameras {
    if let words = camera.response.words {
      text += "\n" + paragraph("Camera \(camera.index) is \(words).", width: width)
    }
  }
  for camera in status.cameras {
    if let problem = camera.input?.problem {
      text += "\n" + paragraph("Camera \(camera.index): \(problem.printable).", width: width)
    }
  }
  for camera in status.cameras {
    guard let error = camera.lastError else { continue }
    // An older node does not report the time.
    let age = camera.lastErrorAge.map { ", \(durationText(milliseconds: milliseconds($0))) ago" } ?? ""
    text +=
      "\n"
      + paragraph("Camera \(camera.index), last error\(age): \(error.printable)", width: width)
  }
  return text
}
