import CaptureClient

/// A call's error, and what to do about it.
struct ExplainedError: Error, CustomStringConvertible {
  let reason: CaptureError
  let advice: String

  init(_ reason: CaptureError, advice: String) {
    self.reason = reason
    self.advice = advice
  }

  var description: String { "\(explain(reason))\n\(advice)" }
}

/// The text for an error: "FAILED_PRECONDITION: …" for the error of a call.
func explain(_ error: any Error) -> String {
  (error as? CaptureError).map { "\($0.code.name): \($0.message)" } ?? "\(error)"
}
