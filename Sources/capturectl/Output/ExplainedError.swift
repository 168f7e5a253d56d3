import CaptureWire

/// A call's error, and what to do about it.
struct ExplainedError: Error, CustomStringConvertible {
  let reason: RPCError
  let advice: String

  init(_ reason: RPCError, advice: String) {
    self.reason = reason
    self.advice = advice
  }

  var description: String { "\(reason)\n\(advice)" }
}
