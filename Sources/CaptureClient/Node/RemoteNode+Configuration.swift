public import CaptureAccess
public import CaptureModel
public import CaptureSystem
public import CaptureTLS
internal import CaptureTransport

extension RemoteNode {
  /// Where a node is, and how its connection behaves.
  public struct Configuration: Sendable {
    /// Where the node listens.
    public var address: SocketAddress
    /// Further addresses of the same node: all are tried at once.
    public var otherAddresses: [SocketAddress] = []
    /// The SHA-256 of the node's public key. With it the connection is encrypted, and nothing is sent to a node with another key. `nil`: the key is
    /// not known; without an ``authority`` either, the connection is in the clear.
    public var nodeKey: Digest?
    /// The CA that signs the certificates of nodes; it counts only where ``nodeKey`` is `nil`. With it the connection is encrypted, and nothing is
    /// sent to a node whose certificate is of another CA, is not valid now, or has another name than ``serverName``. `nil`: no CA is trusted.
    public var authority: CertificateAuthority?
    /// The name that the node's certificate must have for ``authority``, a host's or an IP address; `nil`: the host in ``address``.
    public var serverName: String?
    /// The secret by which the node knows this program.
    public var credential: Secret?
    /// Whether the credential is one for listeners that take plaintext. It is then sent in the clear, and never to a node whose key or CA is known.
    public var isCredentialForPlaintext = false
    /// Throws for a numeric address to which nothing may be sent in the clear. It is called before each connection without TLS, on a thread that may
    /// block. `nil`: every address is allowed.
    package var checkInTheClear: (@Sendable (SocketAddress) throws(CaptureError) -> Void)?
    /// The time limit for connecting, and for every call with one answer; `nil`: 5 s for connecting, and none for calls. Streams have their own.
    public var timeout: Duration? = .seconds(10)
    /// The program's name and version, "viewer/1.0", for the node's log and for those who find a camera locked. By default it is the process's name.
    public var agent =
      CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "capture-client"
    /// Says when a lost connection is made again; `nil`: never. The first connection has to succeed in any case.
    public var reconnect: ReconnectPolicy? = ReconnectPolicy()
    /// Called when the connection is lost, when an attempt to make it again has failed, and when it is there again.
    public var onConnectionChange: (@Sendable (ConnectionChange) -> Void)?

    /// `address`: `.onThisMachine` is the node of this machine.
    public init(address: SocketAddress = .onThisMachine) { self.address = address }

    /// Reads "192.168.1.20", "camera.local:7311", "[::1]:7311" or "unix:/run/capture.sock". Throws `invalidArgument`, which says what is wrong.
    public init(_ address: String) throws(CaptureError) {
      do throws(SocketAddressError) {
        self.init(address: try SocketAddress(parsing: address))
      } catch {
        throw CaptureError(
          .invalidArgument, error.description,
          .init(.valueNotPossible, field: "address", asked: .text(address)))
      }
    }

    /// By what the connection knows the node; `nil`: the connection is in the clear.
    var tls: ClientTLS? {
      if let nodeKey { return .key(nodeKey) }
      guard let authority else { return nil }
      switch address {
      case .name(let host, _), .internet(let host, _, _):
        // A zone is this machine's affair, and in no certificate.
        return .authority(authority, name: serverName ?? SocketAddress.splitZone(host).address)
      case .unix: return serverName.map { .authority(authority, name: $0) }
      }
    }
  }
}
