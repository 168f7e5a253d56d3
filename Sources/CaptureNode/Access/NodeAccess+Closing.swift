import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

/// Closes the node to the network. It stays closed over restarts, also at addresses of its configuration, until somebody opens it again.
extension NodeAccess {
  /// The listeners of the configuration that the node may have: if it was closed to the network, those that only this machine reaches. Logs the others.
  public func permittedListeners() -> [ListenSetting] {
    let (listeners, isClosed) = state.withLock { ($0.listen, $0.contents.isClosed) }
    guard isClosed else { return listeners }
    if let closingWarning { report(.warning, closingWarning) }
    return listeners.filter(\.address.isLocal)
  }

  /// The listeners for the network that the configuration names, and that the node does not have since it was closed.
  var closedListeners: [ListenSetting] {
    state.withLock { $0.contents.isClosed ? $0.listen.filter { !$0.address.isLocal } : [] }
  }

  /// The warning about addresses of the configuration at which the node does not listen; `nil`: there are none.
  var closingWarning: String? {
    let addresses = closedListeners.map(\.address.description)
    guard !addresses.isEmpty else { return nil }
    return
      "the node was closed to the network (capture-node listen --close), so it does not listen at \(addresses.joined(separator: ", ")), which its "
      + "configuration or --listen names: 'sudo capture-node pair' opens it there again"
  }

  /// Opens the node, if it was closed, at the addresses of its configuration. Returns the port of the first one that takes TLS alone; `nil`: the
  /// configuration has no such address, and nothing has changed.
  func openConfigured(_ server: NodeServer) async throws -> UInt16? {
    let settings = closedListeners
    guard settings.contains(where: \.requiresTLS) else { return nil }
    let newKey = try showKey()
    var opened: [SocketAddress] = []
    do {
      for setting in settings {
        opened.append(try server.listen(on: setting.address, policy: setting.policy))
      }
      if let newKey { try files?.write(newKey) }
      let keepsState = files != nil
      try await change { (contents) throws(RPCError) in
        contents.isClosed = false
        return (value: (), needsDisk: keepsState)
      }
    } catch {
      await undoOpening(at: opened, forgetsKey: newKey != nil, server)
      throw error
    }
    report(.info, "open to the network at \(opened.map(\.description).joined(separator: ", "))")
    return zip(settings, opened).first { $0.0.requiresTLS }?.1.port
  }

  /// Undoes an opening that has failed: stops the listeners at `addresses`, and ends the connections that came by them meanwhile. `forgetsKey`: the
  /// node had no key before.
  func undoOpening(at addresses: [SocketAddress], forgetsKey: Bool, _ server: NodeServer) async {
    let reason = RPCError(.unavailable, "the node could not be opened to the network", .init(.nodeDraining))
    await server.withdraw(from: addresses, reason)
    if forgetsKey { state.withLock { ($0.identity, $0.tls) = (nil, nil) } }
  }

  /// Closes the listeners for the network, and ends the connections that came by them. Returns how many connections those were. The node is closed
  /// even if that cannot be stored; the error is thrown all the same.
  func close() async throws -> Int { try await openings.run { try await self.closeInTurn() } }

  /// Closes the node as its file of clients says. Reports why if that fails.
  func closeAsStored() async {
    do {
      try await openings.run {
        // A turn before this one may have opened the node.
        guard self.state.withLock({ $0.contents.isClosed }) else { return }
        _ = try await self.closeInTurn()
      }
    } catch {
      report(.error, "\(error)")
    }
  }

  private func closeInTurn() async throws -> Int {
    let wasOpen = !networkAddresses.isEmpty
    let configured = state.withLock { $0.listen }.map(\.address).filter { !$0.isLocal }
    let isOpenAtStart = !configured.isEmpty || state.withLock { $0.contents.port != nil }
    // What cannot be read may say that the node is open, and so may what a failed write has left.
    let mayBeOpenAtStart = isOpenAtStart || readFailure != nil || isUnwritten
    // The network does not wait for the disk.
    let ended = wasOpen ? await endNetwork() : 0
    var failure: RPCError?
    do throws(RPCError) {
      let keepsState = files != nil
      try await change(takesEffectUnwritten: true) { (contents) throws(RPCError) in
        let isNew = !contents.isClosed
        (contents.isClosed, contents.port) = (true, nil)
        return (value: (), needsDisk: (isNew || self.isUnwritten) && keepsState)
      }
      if !keepsState, !configured.isEmpty {
        failure = RPCError(
          .failedPrecondition,
          "it keeps no state. Remove from 'listen': \(configured.map(\.description).joined(separator: ", "))",
          .init(.stateNotWritable))
      }
    } catch {
      if mayBeOpenAtStart { failure = error }
    }
    guard let failure else { return ended }
    throw RPCError(
      failure.code,
      "the node is closed to the network, but its next start \(isOpenAtStart ? "opens" : "may open") it again, since that cannot be stored: \(failure.text)",
      failure.details)
  }

  /// Stops the listeners for the network, and ends the connections from there. Returns how many connections those were.
  func endNetwork() async -> Int {
    guard let server else { return 0 }
    await server.stopListening { !$0.isLocal }
    let ended = await server.end(
      RPCError(.unavailable, "the node is no longer open to the network", .init(.nodeDraining))
    ) {
      $1.way == .network
    }
    // Clients on this machine keep the addresses that they know.
    listenAgain(at: state.withLock { $0.takenOver }, server)
    state.withLock { ($0.takenOver, $0.openPort) = ([], nil) }
    report(.info, "closed to the network")
    return ended
  }
}
