import CaptureClient

extension JSON {
  /// A frame that came, for `--json-frames`.
  init(_ frame: ReceivedFrame) {
    self = JSON(frame.info).adding([
      "bytes": JSON(frame.payload.count), "discarded": JSON(frame.discarded), "thinned": JSON(frame.thinned),
      "discontinuity": frame.discontinuity.map {
        ["kind": .string($0.kind == .resumed ? "resumed" : "reconfigured"), "reason": .string($0.reason)]
      } ?? .null,
      "resumption": JSON(frame.resumption),
      "latency_ms": frame.latency.map { .number($0 / .milliseconds(1), decimals: 3) } ?? .null,
    ])
  }
}
