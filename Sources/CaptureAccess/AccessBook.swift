public import CaptureModel
public import CaptureTLS

/// The clients that a node knows, and the codes by which new clients pair. The book only decides; its owner writes the clients to their file.
public struct AccessBook: Sendable {
  /// The clients that were paired.
  public internal(set) var clients: [KnownClient]
  /// The clients that the node's configuration names; the file of clients does not have them.
  public var configured: [KnownClient] = []
  /// Secrets of the configuration's clients that were sent in the clear; they are invalid from then on.
  public private(set) var exposed: [Digest] = []
  /// Former secrets of the configuration's clients. They are invalid, since the clients have used the new secrets.
  public private(set) var replaced: [Digest] = []
  private var codes: [Code] = []
  /// The requests of paired clients; they are kept in memory alone.
  public internal(set) var requests = AccessRequests()

  private struct Code {
    let digest: Digest
    let grants: [AccessGrant]
    let name: String
    /// For how many seconds the node knows the client that pairs by the code; `nil`: until the client is revoked.
    let clientSeconds: Int64?
    /// The client that made the code; `nil`: somebody on the node's machine.
    let maker: String?
    /// When the code ends, in nanoseconds of `CLOCK_BOOTTIME`, which runs while the machine sleeps.
    let end: UInt64
  }

  public static let mostCodes = NodeLimit.pairingCodes.usual
  public static let mostClients = NodeLimit.accessClients.usual
  /// How long a code is valid, in nanoseconds.
  public static let codeLife: UInt64 = 600_000_000_000

  public init(clients: [KnownClient] = [], exposed: [Digest] = [], replaced: [Digest] = []) {
    (self.clients, self.exposed, self.replaced) = (clients, exposed, replaced)
  }

  /// Takes the clients of a book that was read from its file, and adds the invalid secrets of that book. Codes, requests, and secrets that were
  /// invalid before stay. Returns whether the file lacks any of the invalid secrets.
  public mutating func replaceClients(from written: AccessBook) -> Bool {
    clients = written.clients
    exposed = written.exposed + exposed.filter { !written.exposed.contains($0) }
    replaced = written.replaced + replaced.filter { !written.replaced.contains($0) }
    return exposed.count > written.exposed.count || replaced.count > written.replaced.count
  }

  /// The client that has this secret. The search compares all clients, so that its duration does not reveal which client it finds. `now`: UTC
  /// seconds.
  public func client(secret: [UInt8], now: Int64) -> Result<KnownClient, Refusal> {
    let digest = Digest(of: secret)
    var found: KnownClient?
    for client in clients + configured where client.secret == digest || client.next == digest {
      found = found ?? client
    }
    guard let found, isValid(digest) else { return .failure(.unknownSecret) }
    if found.hasExpired(now) { return .failure(.expired(found.name)) }
    return .success(found)
  }

  /// Whether a client of that name has a valid credential.
  public func knows(_ name: String) -> Bool {
    clients.contains { $0.name == name }
      || configured.contains { $0.name == name && $0.secrets.contains(where: isValid) }
  }

  private func isValid(_ secret: Digest) -> Bool { !exposed.contains(secret) && !replaced.contains(secret) }

  /// Adds a pairing code. It becomes invalid when `maker`, the client that made it, is revoked; `nil`: somebody on the node's machine made it.
  /// `boottime`: nanoseconds of `CLOCK_BOOTTIME`.
  public mutating func add(
    code: [UInt8], grants: [AccessGrant], name: String, clientSeconds: Int64?,
    maker: String? = nil, boottime: UInt64
  ) -> Refusal? {
    codes.removeAll { $0.end <= boottime }
    guard codes.count < Self.mostCodes else { return .tooManyCodes }
    codes.append(
      Code(
        digest: Digest(of: code), grants: grants, name: name, clientSeconds: clientSeconds, maker: maker,
        end: boottime + Self.codeLife))
    return nil
  }

  /// Makes a pairing code invalid.
  public mutating func remove(code: [UInt8]) {
    let digest = Digest(of: code)
    codes.removeAll { $0.digest == digest }
  }

  public enum Pairing: Hashable, Sendable {
    /// A new client. The pairing takes effect once the book is written to its file.
    case new(KnownClient)
    /// The client was paired by this code and secret before, and the answer was lost. Nothing changes.
    case again(KnownClient)
  }

  /// Pairs the client that sends a code. `name`: the name that the client would like to have.
  public mutating func pair(
    code: [UInt8], secret: Digest, name: String, now: Int64, boottime: UInt64
  ) -> Result<Pairing, Refusal> {
    let digest = Digest(of: code)
    if let known = clients.first(where: { $0.code == digest }) {
      return known.secret == secret ? .success(.again(known)) : .failure(.usedCode(known.name))
    }
    guard let place = codes.firstIndex(where: { $0.digest == digest && $0.end > boottime }),
      codes[place].maker.map(knows) ?? true
    else {
      return .failure(.unknownCode)
    }
    guard clients.count < Self.mostClients else { return .failure(.tooManyClients) }
    guard !(clients + configured).contains(where: { $0.secret == secret || $0.next == secret }) else {
      return .failure(.knownSecret)
    }
    let taken = codes.remove(at: place)
    let client = KnownClient(
      name: freeName(taken.name.isEmpty ? name : taken.name), secret: secret, grants: taken.grants,
      created: now,
      expires: taken.clientSeconds.map { now + $0 }, code: digest)
    clients.append(client)
    return .success(.new(client))
  }

  /// Notes that somebody has tried the code of a client with another secret. Returns whether that is new.
  public mutating func noteContestedCode(of name: String) -> Bool {
    guard let place = clients.firstIndex(where: { $0.name == name && !$0.isCodeContested }) else {
      return false
    }
    clients[place].isCodeContested = true
    return true
  }

  private func freeName(_ wanted: String) -> String {
    let name = KnownClient.isName(wanted) ? wanted : "client"
    let taken = Set((clients + configured).map(\.name))
    guard taken.contains(name) else { return name }
    return (2...).lazy.map { "\(name.prefix(56))-\($0)" }.first { !taken.contains($0) }!
  }

  /// Gives another secret to a client that was paired: the old one is valid until the new one has been used.
  public mutating func rotate(_ name: String, to secret: Digest) -> Refusal? {
    guard let place = clients.firstIndex(where: { $0.name == name }) else { return .unknownSecret }
    let others = (clients + configured).filter { $0.name != name }
    guard !others.contains(where: { $0.secret == secret || $0.next == secret }) else { return .knownSecret }
    if clients[place].secret != secret { clients[place].next = secret }
    return nil
  }

  /// Ends the old secret of the client whose new secret is `secret`. Returns whether that changes anything.
  public mutating func endSecret(replacedBy secret: Digest) -> Bool {
    if let place = clients.firstIndex(where: { $0.next == secret }) {
      (clients[place].secret, clients[place].next) = (secret, nil)
      return true
    }
    guard let old = configured.first(where: { $0.next == secret })?.secret, !replaced.contains(old) else {
      return false
    }
    replaced = pruned(replaced) + [old]
    return true
  }

  /// Returns the invalid secrets to keep when another one is added. Once there are ``mostClients``, the secrets that the configuration does not name
  /// are dropped. They are kept until then, since a configuration file with an error names no clients for a while.
  private func pruned(_ invalid: [Digest]) -> [Digest] {
    guard invalid.count >= Self.mostClients else { return invalid }
    return invalid.filter(Set(configured.flatMap(\.secrets)).contains)
  }

  /// Returns a client of the configuration without its old secret, if the new one has replaced it.
  public func withoutReplacedSecret(_ client: KnownClient) -> KnownClient {
    guard let next = client.next, replaced.contains(client.secret) else { return client }
    var client = client
    (client.secret, client.next) = (next, nil)
    return client
  }

  /// Removes all paired clients, codes and requests.
  public mutating func forgetClients() { (clients, codes, requests) = ([], [], AccessRequests()) }

  /// Makes a secret invalid, and ends the client that has it now. A paired client is removed; a client of the configuration loses both its secrets.
  /// Returns whether anything changes, and the name of the client that was ended.
  public mutating func expose(_ secret: Digest) -> (isNew: Bool, ended: String?) {
    if let paired = clients.first(where: { $0.secrets.contains(secret) }) {
      return (revoke(paired.name) != nil, paired.name)
    }
    let client = configured.first { $0.secrets.contains(secret) }
    let new = (client?.secrets ?? [secret]).filter { !exposed.contains($0) }
    guard !new.isEmpty else { return (false, nil) }
    exposed = pruned(exposed) + new
    return (true, client?.name)
  }

  /// Removes a paired client, with its request and the codes that it made. Returns `nil` where no paired client has that name.
  public mutating func revoke(_ name: String) -> KnownClient? {
    guard let place = clients.firstIndex(where: { $0.name == name }) else { return nil }
    codes.removeAll { $0.maker == name }
    requests.forget(name)
    return clients.remove(at: place)
  }

  /// Why a client is refused.
  public enum Refusal: Error, Hashable, Sendable {
    case unknownSecret
    case expired(String)
    case unknownCode
    /// The client of this name was paired by the code, with another secret.
    case usedCode(String)
    case knownSecret
    case tooManyCodes
    case tooManyClients
  }
}
