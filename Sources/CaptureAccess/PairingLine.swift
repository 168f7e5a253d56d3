public import CaptureModel
public import CaptureTLS

/// The line that a node prints and a client reads to pair: `capture-pair/HOST/ADDRESSES/PORT/KEY/CODE`. All its characters stand for themselves in a
/// shell. A line that was cut or pasted twice is refused.
public struct PairingLine: Hashable, Sendable {
  /// The node's host name.
  public var host: String
  /// Numeric addresses, without a port.
  public var addresses: [String]
  /// The TCP port at all of them.
  public var port: UInt16
  /// The node's key.
  public var pin: Digest
  /// The pairing code: 16 bytes that work once, for a short time.
  public var code: [UInt8]

  /// The length of a code, in bytes.
  public static let codeLength = 16
  /// A line has 1 to 4 addresses.
  public static let mostAddresses = 4
  /// The longest line, in bytes.
  public static let longest = 1_024
  private static let word = "capture-pair"

  /// Makes a line of the first four addresses, and of those characters of the host's name that a line may have.
  public init(host: String, addresses: [String], port: UInt16, pin: Digest, code: [UInt8]) {
    self.host = Self.plain(host)
    self.addresses = Array(addresses.prefix(Self.mostAddresses))
    (self.port, self.pin, self.code) = (port, pin, code)
  }

  /// The characters of a host's name that a line may have; "node" where they make no name.
  static func plain(_ host: String) -> String {
    let plain = String(decoding: host.utf8.filter(isNameByte).prefix(KnownClient.longestName), as: UTF8.self)
    return plain.isEmpty || plain.hasPrefix("-") || plain.hasPrefix(".") ? "node" : plain
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// The line. It contains a secret, the code.
  public var text: String {
    [Self.word, host, addresses.joined(separator: ","), "\(port)", "\(pin)", code.hexadecimal].joined(
      separator: "/")
  }

  /// Reads a line as it was pasted; white space around it is ignored. Throws `invalidArgument`, whose text says what is wrong with the line and never
  /// repeats the line.
  public init(parsing text: String) throws(CaptureError) {
    do throws(LineProblem) { try self.init(reading: text) } catch {
      throw CaptureError(
        .invalidArgument, "this is no pairing line: \(error.text)", .init(.valueNotPossible, field: "line"))
    }
  }

  init(reading text: String) throws(LineProblem) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.longest else { throw LineProblem("it is too long") }
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = bytes.drop(while: isSpace)
    let line = start.prefix { !isSpace($0) }
    guard start.dropFirst(line.count).allSatisfy(isSpace) else {
      throw LineProblem("there is more on it than one pairing line")
    }
    let parts = line.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    guard parts[0] == Array(Self.word.utf8) else {
      throw LineProblem(
        "a pairing line begins with '\(Self.word)/'; 'sudo capture-node pair' prints one")
    }
    guard parts.count >= 6 else { throw LineProblem("a part of it is missing: copy the whole line") }
    guard parts.count == 6 else { throw LineProblem("it has too many parts: was it pasted twice?") }
    let host = String(decoding: parts[1], as: UTF8.self)
    guard Self.plain(host) == host else {
      throw LineProblem("the host's name is damaged")
    }
    let addresses = parts[2].split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
    guard 1...Self.mostAddresses ~= addresses.count,
      parts[2].allSatisfy({ Self.isAddressByte($0) || $0 == UInt8(ascii: ",") }),
      addresses.allSatisfy({ $0.utf8.count <= 45 })
    else { throw LineProblem("its addresses are damaged") }
    guard let port = UInt16(String(decoding: parts[3], as: UTF8.self)), port > 0,
      parts[3].allSatisfy({ $0 != UInt8(ascii: "+") })
    else { throw LineProblem("its port is damaged") }
    guard let pin = Digest(hexadecimal: String(decoding: parts[4], as: UTF8.self)) else {
      throw LineProblem("the node's key is damaged: copy the whole line")
    }
    guard let code = [UInt8](hexadecimal: String(decoding: parts[5], as: UTF8.self)),
      code.count == Self.codeLength
    else { throw LineProblem("the code at its end is damaged: copy the whole line") }
    self.init(host: host, addresses: addresses, port: port, pin: pin, code: code)
  }
}

/// What is wrong with a line. It never repeats the line, which may have a secret.
struct LineProblem: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
