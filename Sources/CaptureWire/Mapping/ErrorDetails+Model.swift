public import CaptureModel

extension CaptureError.Details {
  /// `nil` for bytes that are no `ErrorDetails`.
  init?(_ bytes: [UInt8]) {
    guard let message = try? bytes.withUnsafeBytes({ try ErrorDetails(decoding: $0) }) else { return nil }
    self = message.model
  }
}

extension CallMetadata {
  /// Details as metadata of a status.
  public init(_ details: CaptureError.Details) {
    self.init(key: Self.errorKey, value: ErrorDetails(details).encoded())
  }
}

extension ErrorDetails {
  /// The details in the bounds that the contract states: long texts and lists are cut, and hidden characters written out.
  public init(_ details: CaptureError.Details) {
    self.init(
      reason: ErrorReason(rawValue: details.reason.rawValue), field: details.field?.abridged() ?? "",
      range: details.range.map { ErrorRange(minimum: $0.minimum, maximum: $0.maximum, step: $0.step) },
      limit: details.limit?.abridged() ?? "", holder: details.holder?.abridged() ?? "",
      device: details.device?.abridged() ?? "")
    switch details.asked {
    case .text(let text): asked = .askedText(text.abridged())
    case .number(let number): asked = .askedNumber(number)
    case nil: break
    }
    bounded = details.bound.map { .bound($0) }
    remaining = details.remaining.map {
      .remainingMs(UInt32(clamping: Int64(max(0, $0 / .milliseconds(1)).rounded(.up))))
    }
    take(details.possible)
    possibleLeftOut = UInt32(clamping: details.leftOut + details.possible.count - possible.count)
  }

  /// The most names in `possible`, and the most bytes of these names together.
  static let (mostNames, mostBytesOfNames) = (32, 8_192)

  private mutating func take(_ names: [String]) {
    var bytes = 0
    for name in names.prefix(Self.mostNames) {
      let name = name.abridged()
      bytes += name.utf8.count
      if bytes > Self.mostBytesOfNames { return }
      possible.append(name)
    }
  }

  /// The details; a reason that this version does not know is `unspecified`.
  public var model: CaptureError.Details {
    func known(_ text: String) -> String? { text.isEmpty ? nil : text }
    var details = CaptureError.Details(
      CaptureError.Reason(rawValue: reason.rawValue) ?? .unspecified, field: known(field), possible: possible,
      leftOut: Int(possibleLeftOut),
      range: range.map { .init($0.minimum, $0.maximum, step: $0.step) }, limit: known(limit),
      holder: known(holder), device: known(device))
    switch asked {
    case .askedText(let text): details.asked = .text(text)
    case .askedNumber(let number): details.asked = .number(number)
    case nil: break
    }
    if case .bound(let bound) = bounded { details.bound = bound }
    if case .remainingMs(let time) = remaining { details.remaining = .milliseconds(Int64(time)) }
    return details
  }
}
