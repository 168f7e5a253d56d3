import CaptureClient

extension StreamStatistics {
  /// The document of `--json`. `error`: the reason of an early end. `bound`: the bound that kept the camera from the requested rate. The document has
  /// a member more for each of them that is given.
  func json(
    _ error: (any Error)? = nil, _ files: WrittenFiles = WrittenFiles(), bound: RateBound? = nil
  ) -> JSON {
    func milliseconds(_ value: Double?) -> JSON? { value.map { .number($0, decimals: 2) } }
    var document: JSON = [
      "frames": frames, "bytes": bytes, "fps": JSON.number(rate, decimals: 2), "discarded": discarded,
      "sequence_gaps": sequenceGaps, "interruptions": interruptions, "resumptions": resumptions,
      "missed": missed, "away_at_end": isAwayAtEnd, "first_frame_ms": milliseconds(firstFrameMilliseconds),
      "latency_ms": [
        "p50": milliseconds(latency.quantile(0.5)), "p99": milliseconds(latency.quantile(0.99)),
      ] as JSON,
    ]
    if let first = files.first, let last = files.last {
      let names: JSON = files.count == 1 ? ["file": first] : ["first_file": first, "last_file": last]
      document = document.adding(names)
    }
    if let bound { document = document.adding(["rate_bound": bound]) }
    if let error { document = document.adding(["error": explain(error)]) }
    return document
  }

  /// The text for a person at the end of the stream.
  func summary(_ files: WrittenFiles = WrittenFiles()) -> String {
    func text(_ value: Double?) -> String { value.map { "\(fixed($0, 1)) ms" } ?? "unknown" }
    guard frames > 0 else { return "No frame came.\n" }
    let returned = "\(resumptions) times; at least \(framesText(missed)) missed meanwhile"
    let away = (resumptions > 0 ? [returned] : []) + (isAwayAtEnd ? ["still away at the end"] : [])
    let list: TextList = [
      "Frames": frames == 1 ? "1" : "\(frames) in \(fixed(seconds, 1)) s: \(fixed(rate, 1)) fps",
      "Bytes": bytesText(bytes) + (frames == 1 ? "" : ", \(fixed(bitRate / 1e6, 1)) Mbit/s"),
      "Missing": "\(discarded) discarded, \(sequenceGaps) lost by the camera",
      "First frame": "after \(text(firstFrameMilliseconds))",
      "Latency": latency.count == 0
        ? "unknown: the frames' clock is not the node's"
        : "median \(text(latency.quantile(0.5))), 99 % within \(text(latency.quantile(0.99)))",
      "Away": away.isEmpty ? nil : away.joined(separator: "; "),
      "Interruptions": interruptions > 0 ? "\(interruptions)" : nil,
      files.count == 1 ? "File" : "Files": files.text,
    ]
    return list.text()
  }

  /// The line that a terminal shows while the stream runs.
  var progress: String {
    let delay = lastLatency.map { "  \(fixed($0 / .milliseconds(1), 1)) ms late" } ?? ""
    let losses = discarded + sequenceGaps > 0 ? "  \(discarded) discarded, \(sequenceGaps) lost" : ""
    let speed = frames > 1 ? "  \(fixed(rate, 1)) fps  \(fixed(bitRate / 1e6, 1)) Mbit/s" : ""
    return "\(framesText(frames))\(speed)\(delay)\(losses)"
  }
}
