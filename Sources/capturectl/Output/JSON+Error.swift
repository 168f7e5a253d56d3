import CaptureClient
import CaptureOptions

/// An object that has only the members that are known.
extension CaptureError.Details: JSONValue {
  var json: JSON {
    let given: JSON? =
      switch asked {
      case .text(let text): text.json
      case .number(let number): JSON(plainly: number)
      case nil: nil
      }
    let document: JSON = [
      "reason": reason.name, "field": field, "asked": given,
      "possible": possible.isEmpty ? [String]?.none : possible,
      "possible_left_out": leftOut > 0 ? leftOut : Int?.none,
      "range": range.map {
        [
          "minimum": JSON(plainly: $0.minimum), "maximum": JSON(plainly: $0.maximum),
          "step": JSON(plainly: $0.step),
        ] as JSON
      },
      "limit": limit, "bound": bound, "holder": holder,
      "remaining_ms": remaining.map { Int64($0 / .milliseconds(1)) }, "device": device,
    ]
    return document.withoutNulls
  }
}

extension JSON {
  /// The document that a command prints with `--json` when it fails (docs/json.md).
  init(error: any Error) {
    let (reason, note): (any Error, String?) =
      switch error {
      case let cut as CutShort: (cut.reason, cut.note)
      case let explained as ExplainedError: (explained.reason, explained.advice)
      default: (error, nil)
      }
    let call = reason as? CaptureError
    let code = call?.code.name ?? (reason is UsageError ? "USAGE" : "LOCAL")
    let message = [call?.message ?? "\(reason)", note].compactMap { $0 }.joined(separator: "\n")
    self = ["error": ["code": code, "message": message, "details": call?.details] as JSON]
  }

  /// A number without decimals that it does not need; `null` for one that is not finite.
  init(plainly number: Double) {
    let whole = Int64(exactly: number)
    self = whole.map { JSON($0) } ?? .number(number, decimals: 9)
  }
}
