import CaptureClient
import CaptureOptions

extension JSON {
  /// What a command that fails prints with --json (docs/json.md).
  init(error: any Error) {
    let (reason, rest): (any Error, String?) =
      switch error {
      case let cut as CutStream: (cut.reason, cut.rest)
      case let explained as ExplainedError: (explained.reason, explained.advice)
      default: (error, nil)
      }
    let call = reason as? CaptureError
    let code = call?.code.name ?? (reason is UsageError ? "USAGE" : "LOCAL")
    let message = [call?.message ?? "\(reason)", rest].compactMap { $0 }.joined(separator: "\n")
    self = [
      "error": [
        "code": .string(code), "message": .string(message),
        "details": call?.details.map { JSON($0) } ?? .null,
      ]
    ]
  }

  /// The members that are known.
  init(_ details: CaptureError.Details) {
    var members: [(String, JSON)] = [("reason", .string(details.reason.name))]
    func add(_ name: String, _ value: JSON?) { if let value { members.append((name, value)) } }
    add("field", details.field.map { .string($0) })
    switch details.asked {
    case .text(let text): add("asked", .string(text))
    case .number(let number): add("asked", JSON(plainly: number))
    case nil: break
    }
    if !details.possible.isEmpty { add("possible", .array(details.possible.map { .string($0) })) }
    if details.leftOut > 0 { add("possible_left_out", JSON(details.leftOut)) }
    add(
      "range",
      details.range.map {
        [
          "minimum": JSON(plainly: $0.minimum), "maximum": JSON(plainly: $0.maximum),
          "step": JSON(plainly: $0.step),
        ]
      })
    add("limit", details.limit.map { .string($0) })
    add("bound", details.bound.map { JSON($0) })
    add("holder", details.holder.map { .string($0) })
    add("remaining_ms", details.remaining.map { JSON(Int64($0 / .milliseconds(1))) })
    add("device", details.device.map { .string($0) })
    self = .object(members)
  }

  /// A number without decimals that it does not need; `null` for one that is not finite.
  init(plainly number: Double) {
    let whole = Int64(exactly: number)
    self = whole.map { JSON($0) } ?? .number(number, decimals: 9)
  }
}
