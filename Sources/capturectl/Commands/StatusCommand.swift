import CaptureClient

@Sendable func showStatus(_ context: CommandContext) async throws {
  let status = try await context.node.status()
  try context.print(JSON(status), text: text(status, width: Terminal.width))
}

extension NodeStatus: JSONValue {
  var json: JSON {
    [
      "uptime_ms": milliseconds(uptime), "clients": clients, "clients_total": clientsTotal,
      "clients_refused": clientsRefused, "calls": calls, "calls_total": callsTotal,
      "calls_failed": callsFailed, "leases": leases, "frames_discarded": framesDiscarded,
      "descriptors": descriptors, "descriptors_limit": descriptorsLimit, "resident_bytes": residentBytes,
      "threads": threads, "cpu_ns": processorTime.wholeNanoseconds, "cameras": cameras,
      "state_failure": stateFailure.map {
        ["message": $0.message, "age_ms": milliseconds($0.age)] as JSON
      },
      "warnings": warnings, "viewers": viewers,
    ]
  }
}

extension CameraStatus: JSONValue {
  var json: JSON {
    [
      "index": index, "id": id.rawValue, "streaming": isStreaming,
      "pixel_format": isStreaming ? pixelFormat : PixelFormat?.none, "size": size, "interval": interval,
      "measured_fps": JSON.number(measuredRate, decimals: 2), "subscribers": subscribers, "frames": frames,
      "frames_flagged": framesFlagged, "frames_lost": framesLost, "frames_discarded": framesDiscarded,
      "frames_encoded": framesEncoded, "frames_corrupt": framesCorrupt,
      "encode_ns": encodingTime.wholeNanoseconds, "restarts": restarts, "buffers": buffers,
      "buffers_lent": buffersLent, "last_error": lastError ?? "",
      "last_error_age_ms": lastError.map { _ in milliseconds(lastErrorAge ?? .zero) },
      "response": response.word, "input": input,
    ]
  }
}

private func milliseconds(_ time: Duration) -> UInt64 { UInt64(max(0, min(time / .milliseconds(1), 1e18))) }

/// The legend of the table of cameras.
private let legend =
  "LOST: gaps in the camera's numbering. BAD: flagged by the driver, or corrupt. DISC: discarded, newer frames took their places. "
  + "RESTART: of the stream, after a stall or an error. ENC: encoded as JPEG. LENT: in use, of the driver's buffers."

func text(_ status: NodeStatus, width: Int?) -> String {
  let cpu = status.processorTime / max(status.uptime, .milliseconds(1)) * 100
  let list: TextList = [
    "Up":
      "\(durationText(milliseconds: milliseconds(status.uptime))), using \(fixed(cpu, 1)) % of a core on average",
    "Clients":
      "\(status.clients) now, \(status.clientsTotal) since the start, \(status.clientsRefused) refused",
    "Calls": "\(status.calls) running, \(status.callsTotal) since the start, \(status.callsFailed) failed",
    "Leases": "\(status.leases)",
    "Discarded":
      "\(framesText(status.framesDiscarded)): clients were too slow for them, or they were corrupt",
    "Descriptors": "\(status.descriptors) of \(status.descriptorsLimit)",
    "Memory": "\(bytesText(status.residentBytes)), \(status.threads) threads",
  ]
  var text = list.text(width: width)
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
  let table = TextTable(
    .number("CAM"), .flexible("STREAM"), .number("FPS"), .number("CLIENTS"), .number("FRAMES"),
    .number("LOST"), .number("BAD"), .number("DISC"), .number("RESTART"), .number("ENC"), .number("LENT"),
    of: status.cameras
  ) { camera in
    let size = camera.size.map { " \($0)" } ?? ""
    let interval = camera.interval.map { " at \($0)" } ?? ""
    return [
      "\(camera.index)",
      camera.isStreaming ? "\(camera.pixelFormat.map { "\($0)" } ?? "")\(size)\(interval)" : "idle",
      camera.isStreaming ? fixed(camera.measuredRate, 1) : "-", "\(camera.subscribers)", "\(camera.frames)",
      "\(camera.framesLost)", "\(camera.framesFlagged &+ camera.framesCorrupt)",
      "\(camera.framesDiscarded)", "\(camera.restarts)", "\(camera.framesEncoded)",
      "\(camera.buffersLent)/\(camera.buffers)",
    ]
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
