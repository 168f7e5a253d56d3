import CaptureModel

/// A rule of the connection that a peer broke. The peer gets a GoAway with this code and text, and the connection is closed.
package struct ProtocolViolation: Error, Hashable, Sendable {
  package var code: StatusCode
  /// The rule or limit, for a person.
  package var text: String
  /// Whether the peer speaks another protocol; it would not understand an envelope.
  package var isOtherProtocol = false
  /// A sentence for a person about that protocol: "this looks like TLS"; `nil`: it looks like none that is known.
  package var guess: String?

  /// The details for programs, as a status has them.
  package var details: CaptureError.Details?

  package init(_ code: StatusCode, _ text: String, _ details: CaptureError.Details? = nil) {
    self.code = code
    self.text = text
    self.details = details
  }

  /// The packet for the peer. `lastCallID`: the highest call that was begun.
  package func goAway(lastCallID: UInt32 = 0) -> GoAway {
    let metadata = details.map { CallMetadata($0) }
    return GoAway(
      lastCallID: lastCallID, code: code.rawValue, text: text,
      metadata: metadata.map { [Metadata(key: $0.key, value: $0.value)] } ?? [])
  }

  /// The first byte of the connection was not 0.
  static func otherProtocol(firstByte: UInt8) -> ProtocolViolation {
    let guess =
      switch firstByte {
      case 0x16: "this looks like TLS"
      case 0x41...0x5A, 0x61...0x7A: "this looks like HTTP or text"
      default: String?.none
      }
    var violation = ProtocolViolation(
      .invalidArgument, "not the capture protocol: \(guess ?? "the first byte has to be 0")")
    violation.isOtherProtocol = true
    violation.guess = guess
    return violation
  }
}
