public import CaptureModel
import CaptureSystem
import Glibc

/// What a client proves itself with to nodes that know it by their configuration. A file has it as 64 hexadecimal digits; one for listeners that take plaintext
/// begins with "plaintext ".
public struct Credential: Sendable {
  /// The client's name at the node.
  public var secret: Secret
  /// Whether it goes over networks in the clear, and never over TLS.
  public var isForPlaintext: Bool
  private static let word = "plaintext "

  /// A credential that was kept elsewhere than in a file.
  public init(_ secret: Secret, isForPlaintext: Bool = false) {
    (self.secret, self.isForPlaintext) = (secret, isForPlaintext)
  }

  /// Reads what a file has; `nil`: it is none.
  package init?(_ text: String) {
    let isForPlaintext = text.hasPrefix(Self.word)
    guard let secret = Secret(hexadecimal: isForPlaintext ? String(text.dropFirst(Self.word.count)) : text)
    else { return nil }
    self.init(secret, isForPlaintext: isForPlaintext)
  }

  /// As a file has it.
  public var text: String { (isForPlaintext ? Self.word : "") + secret.hexadecimal }
}

/// A file that has a client's credential.
public enum CredentialFile {
  /// Reads it. Throws `failedPrecondition` where it is none, and where others can read it: then it proves nothing. systemd's credentials (`LoadCredential=`) are in `$CREDENTIALS_DIRECTORY`, where the service's
  /// user may be let in by an access list, which looks like a group's right.
  public static func credential(
    at path: String, environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) throws(CaptureError) -> Credential {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw CaptureError(.failedPrecondition, "\(path) cannot be read: \(Errno.current)")
    }
    let isOfService = environment("CREDENTIALS_DIRECTORY").map { path.hasPrefix($0 + "/") } ?? false
    guard status.st_mode & (isOfService ? 0o007 : 0o077) == 0 else {
      throw CaptureError(
        .failedPrecondition,
        "\(path) has a secret, and others can read it. If nobody has, chmod 600 it; otherwise make another one: capturectl credential new"
      )
    }
    let text: String
    do throws(Errno) { text = try SmallFile.text(of: path) } catch {
      throw CaptureError(.failedPrecondition, "\(path) cannot be read: \(error)")
    }
    guard let credential = Credential(text) else {
      throw CaptureError(
        .failedPrecondition,
        "\(path) is no credential: it has to have 64 hexadecimal digits, as 'capturectl credential new' writes them"
      )
    }
    return credential
  }
}
