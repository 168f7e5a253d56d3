public import CaptureModel
import CaptureSystem
import Glibc

/// The secret by which nodes recognise a client that their configuration names. A file has the secret as 64 hexadecimal digits. If the secret is for
/// listeners that take plaintext, the file begins with "plaintext ".
public struct Credential: Sendable {
  /// The secret itself.
  public var secret: Secret
  /// Whether the secret is sent in the clear. The node then refuses it over TLS.
  public var isForPlaintext: Bool
  private static let word = "plaintext "

  /// A credential that is kept elsewhere than in a file.
  public init(_ secret: Secret, isForPlaintext: Bool = false) {
    (self.secret, self.isForPlaintext) = (secret, isForPlaintext)
  }

  /// Reads the text of a file; `nil`: it is no credential.
  package init?(_ text: String) {
    let isForPlaintext = text.hasPrefix(Self.word)
    guard let secret = Secret(hexadecimal: isForPlaintext ? String(text.dropFirst(Self.word.count)) : text)
    else { return nil }
    self.init(secret, isForPlaintext: isForPlaintext)
  }

  /// The text of its file.
  public var text: String { (isForPlaintext ? Self.word : "") + secret.hexadecimal }
}

/// A file that has a client's credential.
public enum CredentialFile {
  /// Reads the file. Throws `failedPrecondition` where it has no credential, and where other users can read it: such a credential proves nothing.
  ///
  /// In `$CREDENTIALS_DIRECTORY`, where systemd puts the files of `LoadCredential=`, the group's bits of the mode may be set. systemd lets the
  /// service's user read the file by an access list, and the kernel shows an access list in these bits.
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
