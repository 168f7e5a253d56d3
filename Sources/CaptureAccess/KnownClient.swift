public import CaptureModel
public import CaptureTLS

/// A client as a node knows it.
public struct KnownClient: Hashable, Sendable {
  public var name: String
  /// The SHA-256 of its secret.
  public var secret: Digest
  /// The SHA-256 of the client's new secret, which replaces `secret` when the client first uses it.
  public var next: Digest?
  /// Whether the client's secret is sent in the clear. The node then refuses it over TLS.
  public var isForPlaintext = false
  /// Its rights: at least one grant.
  public var grants: [AccessGrant]
  /// When the client was paired, in UTC seconds since 1970; 0: unknown.
  public var created: Int64
  /// When the client expires, in UTC seconds since 1970; `nil`: the client stays until it is revoked.
  public var expires: Int64?
  /// The SHA-256 of the code with which it was paired.
  public var code: Digest?
  /// Whether somebody has tried the pairing code with another secret: the code may have been stolen.
  public var isCodeContested = false

  public init(
    name: String, secret: Digest, grants: [AccessGrant], created: Int64 = 0, expires: Int64? = nil,
    code: Digest? = nil
  ) {
    precondition(!grants.isEmpty, "a client has at least one grant")
    (self.name, self.secret, self.grants, self.created) = (name, secret, grants, created)
    (self.expires, self.code) = (expires, code)
  }

  /// The SHA-256 of the present secret and, while that is being replaced, of the new one.
  public var secrets: [Digest] { [secret] + [next].compactMap { $0 } }

  /// The highest role of its grants.
  public var role: AccessRole { grants.role! }
  /// The cameras of all its grants.
  public var cameras: CameraScope { grants.cameras! }

  /// The longest name, in bytes.
  static let longestName = 63
  /// The rule of ``isName(_:)``, as a text for people.
  package static let namePattern =
    "1 to \(longestName) letters, digits, '.', '_' and '-', without '.' or '-' at the beginning"

  /// Whether a text may be a client's name: 1 to 63 letters, digits, '.', '_' and '-', without '.' or '-' at the beginning. A host's name in a
  /// pairing line follows the same rule.
  public static func isName(_ text: String) -> Bool { PairingLine.plain(text) == text }
}
