import CaptureAccess
import CaptureModel
import CaptureSystem
import CaptureTLS
import CaptureWire
import Dispatch

extension NodeAccess {
  /// Takes the settings that the node was started with, and the clients that they name. `read` reads the settings again.
  public func begin(
    with settings: NodeSettings, read: @escaping @Sendable () throws(ConfigurationError) -> NodeSettings
  ) async {
    let listen = await Self.resolved(settings.listen)
    state.withLock {
      ($0.startedWith, $0.listen, $0.read, $0.certificate) = (settings, listen, read, settings.tls)
    }
    await configure(settings.access)
  }

  /// The listeners, with addresses in place of names that lead to this machine alone. The names are looked up beside each other; those that are not
  /// found within `limit` stay.
  static func resolved(
    _ listeners: [ListenSetting], atMost limit: Duration = .seconds(5),
    by lookUp: @escaping @Sendable (ListenSetting) -> ListenSetting = { $0.resolvedIfLocal }
  ) async -> [ListenSetting] {
    let lookups = listeners.map { listener -> Task<ListenSetting, Never> in
      guard case .name = listener.address else { return Task { listener } }
      return Task { await Patience.value(atMost: limit) { lookUp(listener) } ?? listener }
    }
    var resolved: [ListenSetting] = []
    for lookup in lookups { resolved.append(await lookup.value) }
    return resolved
  }

  var configured: [ConfiguredClient] { state.withLock { $0.configured } }
  var startedWith: NodeSettings { state.withLock { $0.startedWith } }
  /// Warnings for an administrator.
  var warnings: [String] {
    let (problems, server, book, readFailure) = state.withLock {
      ($0.problems, $0.server, $0.contents.book, $0.readFailure)
    }
    let listeners = server?.listeners ?? []
    let exposed = book.configured.filter { book.exposed.contains($0.secret) }.map {
      "the credential of '\($0.name)' came in the clear and is invalid now: make another one (capturectl credential new)"
    }
    let replaced = book.configured.filter { $0.next == nil && book.replaced.contains($0.secret) }.map {
      "the configuration names the old secret of '\($0.name)', which is invalid since the client has used its new one: install the file that names the new secret"
    }
    let contested = book.clients.filter(\.isCodeContested).map {
      "the code with which '\($0.name)' was paired was tried with another secret, and may have been stolen. "
        + "If '\($0.name)' is not the client that you meant, run 'capturectl access revoke \($0.name)'"
    }
    let ofFiles = [readFailure?.description, certificateWarning, closingWarning, socketWarning].compactMap {
      $0
    }
    return ofFiles + state.withLock { $0.lostListeners } + problems + exposed + replaced + contested
      + unmatched
      + listeners.filter(\.policy.trustsLocalUsers).map {
        "everybody on this machine may use the cameras by \($0.address) (trustLocalUsers)"
      }
      + listeners.filter(\.policy.takesPlaintext).map {
        "\($0.address) takes connections in the clear (plaintext): others on the way can read all that is sent there, credentials too"
      }
  }

  /// The Unix socket at which the node listens; `nil`: there is none.
  var unixSocket: SocketAddress? {
    server?.addresses.first { if case .unix = $0 { true } else { false } }
  }

  /// The warning where the node listens, and at no Unix socket; `nil`: it is not so.
  public var socketWarning: String? {
    guard let server, !server.addresses.isEmpty, unixSocket == nil else { return nil }
    return
      "the node listens at no Unix socket, so nobody on this machine can pair clients, reload or close it: "
      + "name unix:\(SocketAddress.packagedSocket) as well ('listen' or --listen)"
  }

  /// A warning for each pattern of a client that matches no camera.
  var unmatched: [String] { (clients + configured.map(\.client)).flatMap(unmatched) }

  func unmatched(of client: KnownClient) -> [String] {
    CameraScope(client.grants.flatMap(\.cameras.patterns)).unmatched(by: cameras).map {
      "the pattern '\($0)' of the client '\(client.name)' matches no camera that this node has had since its start"
    }
  }

  func readSettings() throws(ConfigurationError) -> NodeSettings {
    guard let read = state.withLock({ $0.read }) else { return startedWith }
    return try read()
  }

  /// Replaces the clients of the configuration. Returns all problems, also those with clients that were paired under the same name or secret.
  func replaceConfigured(_ clients: [ConfiguredClient], problems: [String]) async -> [String] {
    await withCheckedContinuation { done in
      queue.async {
        done.resume(returning: self.setConfigured(clients, problems: problems))
      }
    }
  }

  /// Sets the clients of the configuration, except those that conflict with paired ones: each conflict is added to the problems. Returns all
  /// problems. It runs on ``queue``, where paired clients change, so the comparison needs no lock.
  @discardableResult
  func setConfigured(_ clients: [ConfiguredClient], problems: [String]) -> [String] {
    dispatchPrecondition(condition: .onQueue(queue))
    let paired = Paired(self.clients)
    let all = clients.map { ($0, Self.problem(of: $0, besides: paired)) }
    let configured = all.filter { $0.1 == nil }.map(\.0)
    let named = configured.map(\.client)
    let problems = problems + all.compactMap(\.1)
    state.withLock {
      ($0.configured, $0.contents.book.configured, $0.problems) = (configured, named, problems)
    }
    return problems
  }

  /// The outcome of reading the configuration again.
  struct Reload: Sendable {
    /// How many clients the configuration names.
    var clients = 0
    /// The names of clients whose entry has gone or changed.
    var ended: [String] = []
    /// How many connections of these clients were ended.
    var connections = 0
    /// Changed keys that take effect at the node's next start.
    var nextStart: [String] = []
    /// Warnings for an administrator.
    var warnings: [String] = []
  }

  /// Sets the clients of the configuration. Errors of the configuration are reported; the clients that they concern are not admitted.
  func configure(_ access: ConfiguredAccess) async {
    let problems = await replaceConfigured(access.clients, problems: access.problems)
    for problem in problems { report(.error, problem) }
  }

  /// Reads the configuration again: all of it, or nothing changes.
  func reload() async throws(RPCError) -> Reload {
    let settings: NodeSettings
    do throws(ConfigurationError) { settings = try readSettings() } catch {
      throw refuse(error.description)
    }
    var reload = Reload()
    try await change { (_) throws(RPCError) in (value: (), needsDisk: false) }
    await state.withLock { $0.reopening }?.value
    let old = configured
    let paired = Paired(clients)
    if let problem = settings.access.problems.first
      ?? settings.access.clients.lazy.compactMap({ Self.problem(of: $0, besides: paired) }).first
    {
      throw refuse(problem)
    }
    // The node's own certificate is not read again where the node keeps using it.
    let identity: TLSIdentity?
    do throws(AccessFileError) {
      let isOther = settings.tls != nil || state.withLock { $0.certificate != nil && $0.tls != nil }
      identity = isOther ? try self.identity(of: settings.tls) : nil
      reload.warnings = try exchange(settings.tls, for: identity)
    } catch {
      throw refuse(error.description)
    }
    reload.warnings += [certificateWarning].compactMap { $0 }
    _ = await replaceConfigured(settings.access.clients, problems: [])
    let new = Dictionary(uniqueKeysWithValues: settings.access.clients.map { ($0.client.name, $0.client) })
    reload.ended = old.map(\.client).filter { !Self.stays($0, as: new[$0.name]) }.map(\.name)
    reload.connections = await cut(Set(reload.ended))
    reload.warnings +=
      configured.map(\.client).flatMap(unmatched) + [readFailure?.description].compactMap { $0 }
    // A client whose entry was only changed keeps its sessions and jobs.
    reload.warnings += await endBelongings(of: Set(reload.ended.filter { new[$0] == nil })).problems
    for warning in reload.warnings { report(.warning, warning) }
    (reload.clients, reload.nextStart) = (new.count, settings.keysForNextStart(from: startedWith))
    report(
      .info,
      "the configuration was read again: it names \(new.count) clients\(reload.ended.isEmpty ? "" : "; cut off: \(reload.ended.joined(separator: ", "))")"
    )
    return reload
  }

  private func refuse(_ text: String) -> RPCError {
    report(.error, "the configuration was not read again: \(text)")
    return RPCError(
      .failedPrecondition, "nothing has changed: \(text)", .init(.valueNotPossible, field: "configuration"))
  }

  /// Whether a client keeps its connections when the configuration is read again: its entry is the same, or has only got a second secret.
  private static func stays(_ old: KnownClient, as new: KnownClient?) -> Bool {
    guard var new, old.secrets.allSatisfy(new.secrets.contains) else { return false }
    (new.secret, new.next) = (old.secret, old.next)
    return new == old
  }

  /// The names of the paired clients, and the owner of each secret.
  private struct Paired {
    let names: Set<String>
    let owners: [Digest: String]

    init(_ clients: [KnownClient]) {
      names = Set(clients.map(\.name))
      let secrets = clients.flatMap { client in client.secrets.map { ($0, client.name) } }
      owners = Dictionary(secrets) { first, _ in first }
    }
  }

  /// Why a client of the configuration conflicts with the paired ones; `nil`: it does not.
  private static func problem(of configured: ConfiguredClient, besides paired: Paired) -> String? {
    let client = configured.client
    if paired.names.contains(client.name) {
      return
        "\(configured.file): clients.\(client.name): a client of this name was paired; revoke that, or give this one another name"
    }
    if let other = client.secrets.lazy.compactMap({ paired.owners[$0] }).first {
      return "\(configured.file): clients.\(client.name): has the secret of '\(other)', which was paired"
    }
    return nil
  }
}
