import CaptureAccess
import CaptureModel
import CaptureSystem
import CaptureTLS
import CaptureTransport
import CaptureWire
import Glibc

/// The node's key, and the port at which other machines reach it.
extension NodeAccess {
  /// The node's own key; `nil`: it has none yet.
  var identity: TLSIdentity? { state.withLock { $0.identity } }

  /// Makes TLS ready. Throws where the node's key cannot be read or kept.
  public func prepareTLS() throws(AccessFileError) {
    guard tls == nil else { return }
    let certificate = state.withLock { $0.certificate }
    try show(try identity(of: certificate))
    if let warning = certificateWarning { report(.warning, warning) }
  }

  /// Makes TLS ready. If the node has no key, and its configuration names no certificate, makes a key, and returns it: it is not
  /// written yet.
  func showKey() throws(AccessFileError) -> TLSIdentity? {
    let (tls, certificate) = state.withLock { ($0.tls, $0.certificate) }
    guard tls == nil, certificate == nil, let files, try files.readIdentity() == nil else {
      try prepareTLS()
      return nil
    }
    let made = try AccessFiles.newIdentity()
    try show(made)
    return made
  }

  /// Opens the node to the network again, if it was open when it last ended. Reports why if that fails.
  public func reopen() async {
    do {
      try await openings.run {
        // A closed node has no port: a turn before this one may have closed it.
        guard let port = self.state.withLock({ $0.contents.port }) else { return }
        _ = try await self.openInTurn(port: port, besidesOthers: true)
      }
    } catch {
      guard !Self.isOfEnd(error) else { return }
      report(.error, "the node is not open to the network as it was: \(error)")
    }
  }

  /// Whether something failed only since the node ends.
  private static func isOfEnd(_ error: any Error) -> Bool {
    RPCError(any: error).details?.reason == .nodeDraining
  }

  /// Where other machines reach the node.
  var networkAddresses: [SocketAddress] { server?.addresses.filter { !$0.isLocal } ?? [] }

  /// Opens the node to the network at `port`, unless it is open already. If it was closed, and its configuration names addresses there, opens it at
  /// these instead. Returns the port at which it is open, and whether this call has opened it.
  /// `besidesOthers`: open it also where the configuration has addresses that other machines reach.
  @discardableResult
  func open(port: UInt16, besidesOthers: Bool = false) async throws -> (port: UInt16, isNew: Bool) {
    try await openings.run { try await self.openInTurn(port: port, besidesOthers: besidesOthers) }
  }

  private func openInTurn(port: UInt16, besidesOthers: Bool) async throws -> (port: UInt16, isNew: Bool) {
    guard let server else { throw AccessFileError("the node does not serve yet") }
    // Nobody comes in where that could not be stored.
    try await requireReadNow()
    // The file may have been repaired just now, and say that the node was closed.
    if state.withLock({ $0.contents.isClosed }), !networkAddresses.isEmpty { _ = await endNetwork() }
    if let port = try await openConfigured(server) { return (port, true) }
    let others = server.listeners.filter { !$0.address.isLocal && !$0.policy.takesPlaintext }
    if others.contains(where: { $0.address.port == port }) { return (port, false) }
    if !besidesOthers, let open = state.withLock({ $0.openPort }) ?? others.first?.address.port {
      return (open, false)
    }
    let closed = closedListeners
    let inTheClear = (server.addresses + closed.map(\.address)).filter { !$0.isLocal }
    if let address = inTheClear.first(where: { $0.port == port }) {
      throw Self.refusal(of: port, besides: address)
    }
    // A new key is written only once the node has the port, so that a port in use changes nothing.
    let newKey = try showKey()
    // A listener for every address of a port needs the whole port: the kernel refuses it while one address is taken, even by this node. So the
    // loopback listeners of the port stop.
    let loopback = server.listeners.filter { $0.address.isLocal && $0.address.port == port }
    await server.stopListening { address in loopback.contains { $0.address == address } }
    // The new listener treats callers from loopback as the loopback listeners did.
    let policy = ListenerPolicy(trustsLocalUsers: loopback.contains { $0.policy.trustsLocalUsers })
    var opened: [SocketAddress] = []
    do {
      opened.append(
        try server.listen(on: .internet(host: "0.0.0.0", port: port, family: .v4), policy: policy))
      do {
        opened.append(try server.listen(on: .internet(host: "::", port: port, family: .v6), policy: policy))
      } catch let error as ListenError {
        // A kernel without IPv6 is no error.
        guard error.cause.rawValue == EAFNOSUPPORT || error.cause.rawValue == EADDRNOTAVAIL else {
          throw error
        }
      }
      if let newKey { try files?.write(newKey) }
      _ = try await change { (contents) throws(RPCError) in
        let isNew = contents.port != port
        (contents.port, contents.isClosed) = (port, false)
        return (value: (), needsDisk: isNew)
      }
    } catch {
      await undoOpening(at: opened, forgetsKey: newKey != nil, server)
      listenAgain(at: loopback, server)
      throw error
    }
    state.withLock { ($0.takenOver, $0.openPort) = (loopback, port) }
    listenAgain(at: closed.map { ($0.address, $0.policy) }, server)
    report(.info, "open to the network at port \(port)")
    return (port, true)
  }

  /// `address`: where the node listens in the clear, or did until it was closed. The kernel gives no listener for every address of that port then.
  private static func refusal(of port: UInt16, besides address: SocketAddress) -> RPCError {
    RPCError(
      .failedPrecondition,
      "the node cannot be opened at port \(port), which it uses in the clear at \(address) ('plaintext', or --allow-plaintext): choose another one "
        + "('capture-node pair --port'), or name an address that takes TLS under 'listen' in its configuration",
      .init(.valueNotPossible, field: "port"))
  }

  /// Listens again at addresses that the node had before it was opened or closed. Addresses that it does not get are reported, and `status` warns of
  /// them.
  func listenAgain(
    at listeners: [(address: SocketAddress, policy: ListenerPolicy)], _ server: NodeServer
  ) {
    for (address, policy) in listeners {
      do { try server.listen(on: address, policy: policy) } catch {
        guard !Self.isOfEnd(error) else { return }
        let problem = "until its next start the node does not listen at \(address) any more: \(error)"
        state.withLock { $0.lostListeners.append(problem) }
        report(.error, problem)
      }
    }
  }

  /// How many connections came from the network.
  var networkConnections: Int { server?.callers.count { $0.arrival.way == .network } ?? 0 }
  var callers: [(caller: Caller, arrival: Arrival)] { server?.callers ?? [] }

  /// Makes another key for the node, removes the paired clients, and ends all connections that use the old key. Returns the names of the clients,
  /// which have to pair again.
  func newIdentity() async throws(RPCError) -> (pin: Digest, clients: [String]) {
    do { return try await openings.run { try await self.changeIdentity() } } catch {
      throw RPCError(any: error)
    }
  }

  private func changeIdentity() async throws(RPCError) -> (pin: Digest, clients: [String]) {
    if let certificate = state.withLock({ $0.certificate }) {
      throw RPCError(
        .failedPrecondition,
        "the node's key is that of \(certificate.key) (tls in its configuration): have another one certified, and 'capture-node reload'",
        .init(.valueNotPossible, field: "tls"))
    }
    guard let files else {
      throw RPCError(
        .failedPrecondition, "this node keeps no state, so it has no key: start it with --state FILE",
        .init(.stateNotWritable))
    }
    // The clients are removed first, and also where no new key can be made: somebody who has stolen the old key may have their secrets, too.
    let names = try await change { (contents) throws(RPCError) in
      let names = contents.book.clients.map(\.name)
      contents.book.forgetClients()
      return (value: names, needsDisk: true)
    }
    let made = Result { () throws(any Error) in
      let identity = try AccessFiles.newIdentity()
      try files.write(identity)
      let context = try TLSContext.server(identity)
      state.withLock { ($0.identity, $0.tls) = (identity, context) }
      return identity
    }
    await server?.end(
      RPCError(.unauthenticated, "the node has another key; pair again", .init(.credentialRefused))
    ) { caller, arrival in
      caller.kind == .client || arrival.way == .network
    }
    await endBelongings(of: Set(names))
    let identity: TLSIdentity
    do { identity = try made.get() } catch {
      throw RPCError(.resourceExhausted, "\(error)", .init(.stateNotWritable))
    }
    report(
      .warning,
      "the node has another key; clients that were paired have to pair again: \(names.isEmpty ? "none" : names.joined(separator: ", "))"
    )
    return (identity.pin, names)
  }
}

extension SocketAddress {
  /// `nil`: a Unix socket.
  package var port: UInt16? {
    switch self {
    case .internet(_, let port, _), .name(_, let port): port
    case .unix: nil
    }
  }
}
