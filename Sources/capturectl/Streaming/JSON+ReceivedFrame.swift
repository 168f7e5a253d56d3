import CaptureClient

/// A frame that came, for `--json-frames`.
extension ReceivedFrame: JSONValue {
  var json: JSON {
    JSON(info).adding([
      "bytes": payload.count, "discarded": discarded, "thinned": thinned, "discontinuity": discontinuity,
      "resumption": resumption, "latency_ms": latency.map { JSON.number($0 / .milliseconds(1), decimals: 3) },
    ])
  }
}

extension StreamDiscontinuity: JSONValue {
  var json: JSON { ["kind": kind == .resumed ? "resumed" : "reconfigured", "reason": reason] }
}
