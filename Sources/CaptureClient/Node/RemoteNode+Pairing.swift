public import CaptureAccess
public import CaptureModel
internal import CaptureSystem
internal import CaptureTLS
internal import CaptureTransport
internal import CaptureWire

extension RemoteNode.Configuration {
  /// Reaches a known node over TLS, and only if the node shows the key or the certificate by which it is known.
  /// Throws `invalidArgument` where none of its addresses can be read.
  public init(_ known: KnownNode) throws(CaptureError) {
    let addresses = known.addresses.compactMap {
      try? SocketAddress(parsing: $0.contains(":") ? "[\($0)]:\(known.port)" : "\($0):\(known.port)")
    }
    guard let first = addresses.first else {
      throw CaptureError(.invalidArgument, "'\(known.name)' has no address that can be read; pair again")
    }
    self.init(address: first)
    otherAddresses = Array(addresses.dropFirst())
    switch known.proof {
    case .key(let pin): nodeKey = pin
    case .certificate(let authority, let name): (self.authority, serverName) = (authority, name)
    }
    credential = known.secret
  }
}

extension RemoteNode {
  /// Pairs this machine with the node that a pairing line is from. The caller makes `secret`, and stores it before the call. The call may be
  /// repeated: the same line with the same secret gets the same answer. `name`: the name that this machine asks for as a client. Returns the name
  /// that the node gave it, and its role.
  ///
  /// Throws `unauthenticated` for a code that is unknown, expired or used, and where no address shows the node's key. In the latter case nothing was
  /// sent.
  public static func pair(
    _ line: PairingLine, secret: Secret, name: String, timeout: Duration = .seconds(10)
  ) async throws(CaptureError) -> (client: String, role: AccessRole) {
    var configuration = try Configuration(
      KnownNode(name: line.host, addresses: line.addresses, port: line.port, pin: line.pin, secret: secret))
    configuration.credential = nil
    configuration.timeout = timeout
    configuration.reconnect = nil
    let node = try await RemoteNode(configuration: configuration)
    let answer = try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(node.connection).pair(
        PairRequest(code: line.code, secretSha256: secret.digest.bytes, name: name),
        options: CallOptions(timeout: timeout))
    }
    await node.close()
    return (answer.client, answer.role.model ?? .view)
  }

  /// The SHA-256 of this client's secret, in 64 digits. The node's operator sees it beside the client's name, and distinguishes this client by it
  /// from others of that name. `nil`: this client has no credential.
  public var fingerprint: String? { configuration.credential.map { "\($0.digest)" } }

  /// A client of a node.
  public typealias Client = PairedClient

  /// The clients that the node knows. For an admin.
  /// Throws `permissionDenied` for others.
  public func clients() async throws(CaptureError) -> [Client] {
    try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(connection).clients(ListClientsRequest(), options: callOptions)
        .clients.map(\.model)
    }
  }

  /// The outcome of revoking a client.
  public struct Revocation: Hashable, Sendable {
    /// How many of the client's connections were ended.
    public var connections: Int
    /// Its named sessions that were closed.
    public var sessions: [String]
    /// Its named sessions that stay, since others take frames of them.
    public var usedSessions: [String]
    /// Its jobs that were stopped.
    public var jobs: [String]
    /// Texts for a person, one for each job or session that continues because the node could not store its end. Revoking the client again tries
    /// again.
    public var problems: [String]
  }

  /// Ends a client's access, its connections, its sessions, unless others take frames of them, and its jobs. What the client has stored stays. For an
  /// admin. `keepsJobs`: the client's jobs go on.
  /// Throws `notFound` for a client that the node does not know, and `permissionDenied` for a caller that is no admin.
  @discardableResult
  public func revoke(_ client: String, keepsJobs: Bool = false) async throws(CaptureError) -> Revocation {
    let answer = try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(connection).revoke(
        RevokeRequest(client: client, keepJobs: keepsJobs), options: callOptions)
    }
    return Revocation(
      connections: Int(answer.connections), sessions: answer.sessions, usedSessions: answer.usedSessions,
      jobs: answer.jobs, problems: answer.problems)
  }
}
