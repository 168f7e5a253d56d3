/// A peer broke a rule of the connection: it gets a GoAway with this code and text, and is closed.
package struct ProtocolViolation: Error, Hashable, Sendable {
  package var code: StatusCode
  /// Which rule or limit.
  package var text: String
  /// The peer speaks another protocol; an envelope would mean nothing to it.
  package var isOtherProtocol = false
  /// Which protocol that is, for a person.
  package var guess: String?

  package init(_ code: StatusCode, _ text: String) {
    self.code = code
    self.text = text
  }

  /// The first byte on a connection was not 0.
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
