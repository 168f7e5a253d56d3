public import CaptureModel
public import CaptureTLS

/// The line that `capture-node fingerprint` prints, by which clients know the node's key: `capture-node/HOST/ADDRESSES/PORT/KEY`. It is no secret.
public struct FingerprintLine: Hashable, Sendable {
  /// The node's host name.
  public var host: String
  /// Numeric addresses, without a port.
  public var addresses: [String]
  /// The TCP port at all of them.
  public var port: UInt16
  /// The SHA-256 of the node's public key.
  public var pin: Digest

  private static let word = "capture-node"

  /// Makes a line of the first four addresses, and of those characters of the host's name that a line may have.
  public init(host: String, addresses: [String], port: UInt16, pin: Digest) {
    let line = PairingLine(host: host, addresses: addresses, port: port, pin: pin, code: [])
    (self.host, self.addresses, self.port, self.pin) = (line.host, line.addresses, port, pin)
  }

  /// The line.
  public var text: String { "\(Self.word)/\(host)/\(addresses.joined(separator: ","))/\(port)/\(pin)" }

  /// Whether a text is meant as such a line.
  public static func resembles(_ text: String) -> Bool { text.hasPrefix(word + "/") }

  /// Reads a line; white space around it is ignored. Throws `invalidArgument`, whose text says what is wrong with the line.
  public init(parsing text: String) throws(CaptureError) {
    do throws(LineProblem) { try self.init(reading: text) } catch {
      throw CaptureError(
        .invalidArgument, "this is no fingerprint line: \(error.text)",
        .init(.valueNotPossible, field: "line"))
    }
  }

  private init(reading text: String) throws(LineProblem) {
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard Self.resembles(text) else {
      throw LineProblem("it does not begin with '\(Self.word)/', as 'capture-node fingerprint' prints it")
    }
    // A fingerprint line is a pairing line without the code.
    let line = try PairingLine(
      reading: "capture-pair" + text.dropFirst(Self.word.count) + "/"
        + String(repeating: "0", count: 2 * PairingLine.codeLength))
    self.init(host: line.host, addresses: line.addresses, port: line.port, pin: line.pin)
  }
}
