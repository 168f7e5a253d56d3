public import CaptureModel
public import CaptureTLS
import FoundationEssentials

/// A file for a node's `access.d` that names one client, as `capturectl credential new` makes it. A change edits the file's text, so that the
/// comments in it stay.
public struct ClientFile: Sendable {
  public let text: String
  /// The client's name.
  public let name: String
  /// The SHA-256 of the client's secret.
  public let secret: Digest
  /// The SHA-256 of the secret that replaces `secret`; `nil`: none does.
  public let next: Digest?
  /// Whether the secrets are sent in the clear.
  public let isForPlaintext: Bool
  private let secretText: String

  private struct Contents: Decodable {
    struct Client: Decodable {
      var secretSHA256: String
      var nextSHA256: String?
      var plaintext: Bool?
    }
    var clients: [String: Client]
  }

  /// Reads a file's bytes. Throws `failedPrecondition` where they do not name exactly one client.
  public init(_ bytes: [UInt8]) throws(CaptureError) {
    text = String(decoding: bytes, as: UTF8.self)
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    // The decoder crashes the process on some bytes that are not UTF-8, and takes NUL bytes for a sign of another encoding.
    guard Array(text.utf8) == bytes, !bytes.contains(0),
      let contents = try? decoder.decode(Contents.self, from: Data(bytes)),
      let (name, client) = contents.clients.first, let secret = Digest(hexadecimal: client.secretSHA256)
    else {
      throw CaptureError(
        .failedPrecondition, "it names no client as 'capturectl credential new' writes one, with secretSHA256"
      )
    }
    guard contents.clients.count == 1 else {
      throw CaptureError(
        .failedPrecondition,
        "it names \(contents.clients.count) clients; give each a file of its own, or write nextSHA256 beside the secretSHA256 of one yourself"
      )
    }
    let next = client.nextSHA256.map { Digest(hexadecimal: $0) }
    guard next != .some(nil) else {
      throw CaptureError(.failedPrecondition, "its nextSHA256 is no SHA-256, 64 hexadecimal digits")
    }
    (self.name, self.secret, self.next) = (name, secret, next ?? nil)
    (secretText, isForPlaintext) = (client.secretSHA256, client.plaintext ?? false)
  }

  /// The file with the SHA-256 of a second secret, which replaces the present one.
  public func adding(_ next: Digest) throws(CaptureError) -> ClientFile {
    let places = text.ranges(of: secretText)
    guard self.next == nil, places.count == 1, let end = places.first?.upperBound, end < text.endIndex
    else { throw refusal }
    // The place behind the closing quotation mark.
    let place = text.index(after: end)
    return try changed("\(text[..<place]), nextSHA256: \"\(next)\"\(text[place...])", secret, next)
  }

  /// The file with the second secret alone.
  public func finished() throws(CaptureError) -> ClientFile {
    guard let next else { return self }
    let entry = /,\s*["']?nextSHA256["']?\s*:\s*["'][0-9A-Fa-f]{64}["']/
    let text = text.replacing(entry, with: "").replacing(secretText, with: "\(next)")
    return try changed(text, next, nil)
  }

  private func changed(_ text: String, _ secret: Digest, _ next: Digest?) throws(CaptureError) -> ClientFile {
    let changed = try? ClientFile(Array(text.utf8))
    guard let changed, changed.name == name, changed.secret == secret, changed.next == next,
      changed.isForPlaintext == isForPlaintext
    else { throw refusal }
    return changed
  }

  private var refusal: CaptureError {
    CaptureError(
      .failedPrecondition,
      "it is written in another way than 'capturectl credential new' writes it: change its secretSHA256 and nextSHA256 yourself"
    )
  }
}
