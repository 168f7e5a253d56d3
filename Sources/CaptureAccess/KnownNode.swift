import CaptureModel
public import CaptureTLS

/// A node as a client knows it: how to reach it, how to recognise it, and the client's own secret for it.
public struct KnownNode: Sendable {
  /// Its name at this client.
  public var name: String
  /// Numeric addresses or host names, without a port.
  public var addresses: [String]
  /// The TCP port at all of them.
  public var port: UInt16
  /// How the client recognises the node. The client sends nothing to a node that it does not recognise.
  public var proof: Proof
  /// The client's secret at this node; `nil`: it has none for this node alone (a credential for many nodes comes from a file).
  public var secret: Secret?
  /// The secret that replaces `secret` once the node knows it; `nil`: there is none.
  public var nextSecret: Secret?
  /// This client's name at the node; `nil`: not known.
  public var client: String?
  /// The SHA-256 of the pairing code; `nil`: there was none. It is kept after pairing: when the same pairing line is given again, pairing goes on
  /// with the same secret, wherever it was interrupted.
  public var code: Digest?
  /// Whether pairing has begun and its outcome is not known.
  public var isPending: Bool { code != nil && client == nil }

  /// How a client recognises a node.
  public enum Proof: Sendable {
    /// The SHA-256 of its public key.
    case key(Digest)
    /// A valid certificate for `name`, a host's name or an IP address, issued by one of `authority`. The node may change its key.
    case certificate(authority: CertificateAuthority, name: String)
  }

  /// The SHA-256 of the node's key; `nil`: it is recognised by its certificate.
  public var pin: Digest? {
    if case .key(let pin) = proof { pin } else { nil }
  }

  /// Makes a node from the values of its properties.
  public init(
    name: String, addresses: [String], port: UInt16, proof: Proof, secret: Secret?, client: String? = nil,
    code: Digest? = nil
  ) {
    (self.name, self.addresses, self.port, self.proof) = (name, addresses, port, proof)
    (self.secret, self.client, self.code) = (secret, client, code)
  }

  /// Makes a node that is known by its key, from the values of its properties.
  public init(
    name: String, addresses: [String], port: UInt16, pin: Digest, secret: Secret?, client: String? = nil,
    code: Digest? = nil
  ) {
    self.init(
      name: name, addresses: addresses, port: port, proof: .key(pin), secret: secret, client: client,
      code: code)
  }

  /// Whether a text may be a node's name: a possible name of a client that does not end as the file of a pending node does.
  package static func isName(_ text: String) -> Bool {
    KnownClient.isName(text) && !text.hasSuffix(KnownNodes.pending)
  }

  /// Throws `invalidArgument` for a text that may not be a node's name.
  package static func requireName(_ text: String) throws(CaptureError) {
    guard !isName(text) else { return }
    throw CaptureError(
      .invalidArgument,
      "\(text.quoted) is no name for a node: possible are \(KnownClient.namePattern) and without '\(KnownNodes.pending)' at the end; "
        + "give it another name",
      .init(.valueNotPossible, field: "name", asked: .text(text.abridged())))
  }
}
