public import CaptureModel
public import CaptureSystem
import CaptureTLS
import FoundationEssentials
import Glibc

/// The nodes that a user has paired with: a file for each in `~/.config/remote-capture/nodes`, which only that user can read, and which is written
/// whole.
public struct KnownNodes: Sendable {
  /// The folder of the files.
  public let folder: String

  /// Keeps the files in a folder.
  public init(folder: String) { self.folder = folder }

  /// Keeps the files where a user's programs keep their configuration; `nil`: the environment does not say where that is.
  public init?(environment: (String) -> String?) {
    if let path = environment("XDG_CONFIG_HOME"), path.hasPrefix("/") {
      folder = path + "/remote-capture/nodes"
    } else if let path = environment("HOME"), path.hasPrefix("/") {
      folder = path + "/.config/remote-capture/nodes"
    } else {
      return nil
    }
  }

  /// The nodes of this process's user.
  public static var usual: KnownNodes? { KnownNodes { getenv($0).map { String(cString: $0) } } }

  private static let longest = 65_536
  private static let ending = ".json"
  /// The end of a file's name, before ``ending``, while the outcome of pairing is not known; no node's name ends so.
  static let pending = ".pending"

  /// The path of a node's file. `isPending`: the path of the file that the node has while the outcome of pairing is not known.
  public func path(of name: String, isPending: Bool = false) -> String {
    "\(folder)/\(name)\(isPending ? Self.pending : "")\(Self.ending)"
  }

  /// The names of the nodes, in order.
  public var names: [String] {
    var names: [String] = []
    for file in (try? FolderNames.names(in: folder)) ?? [] {
      guard file.hasSuffix(Self.ending) else { continue }
      let name = String(file.dropLast(Self.ending.count))
      if KnownNode.isName(name) { names.append(name) }
    }
    return names.sorted()
  }

  /// The node of this name. Throws `notFound` with the names of all known nodes, and the errors of ``node(_:isPending:)``.
  public func required(_ name: String) throws(CaptureError) -> KnownNode {
    if let node = try node(name) { return node }
    let names = names
    throw CaptureError(
      .notFound,
      names.isEmpty
        ? "no node is known as \(name.quoted), nor by another name: 'capture-node pair' there and 'capturectl pair' here make one known"
        : "no node is known as \(name.quoted); there are: \(names.joined(separator: ", "))",
      .init(.unknownName, field: "known", asked: .text(name.abridged()), possible: names))
  }

  /// The node of this name; `nil`: there is none. Throws `failedPrecondition` for a file that is damaged, or that others can read.
  public func node(_ name: String, isPending: Bool = false) throws(CaptureError) -> KnownNode? {
    guard KnownNode.isName(name) else { return nil }
    let path = path(of: name, isPending: isPending)
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else {
        throw CaptureError(.failedPrecondition, "\(path) cannot be read: \(Errno.current)")
      }
      return nil
    }
    guard status.st_mode & 0o077 == 0 else {
      throw CaptureError(
        .failedPrecondition,
        "\(path) has a secret, and others can read it. If nobody has, chmod 600 it; otherwise have the node's administrator revoke this client, "
          + "and pair again")
    }
    let bytes: [UInt8]
    do throws(Errno) { bytes = try SmallFile.bytes(of: path, upTo: Self.longest) } catch {
      throw CaptureError(.failedPrecondition, "\(path) cannot be read: \(error)")
    }
    guard let node = Self.node(name, in: bytes) else {
      throw CaptureError(.failedPrecondition, "\(path) is damaged; remove it, and pair again")
    }
    return node
  }

  /// The node that a file's text describes; `nil`: the text is damaged.
  package static func node(_ name: String, in text: [UInt8]) -> KnownNode? {
    (try? JSONDecoder().decode(Saved.self, from: Data(text)))?.node(name)
  }

  /// The node that an address means: the one of this name, or one that has this address. `resolve` finds the numeric addresses of a host's name; it
  /// is called only where no node has that name. A loopback address means no node, since each machine has another node there.
  public func node(
    at address: SocketAddress, resolve: (SocketAddress) -> [SocketAddress] = { _ in [] }
  ) throws(CaptureError) -> KnownNode? {
    switch address {
    case .unix: return nil
    case .name(let host, let port):
      if port == SocketAddress.defaultPort, let node = try node(host) { return node }
      guard !address.isLocal else { return nil }
      if let node = try node(at: host, port) { return node }
      for numeric in names.isEmpty ? [] : resolve(address) {
        if let node = try node(at: numeric) { return node }
      }
      return nil
    case .internet(let host, let port, _): return address.isLocal ? nil : try node(at: host, port)
    }
  }

  private func node(at host: String, _ port: UInt16) throws(CaptureError) -> KnownNode? {
    let host = Self.spelled(host)
    for name in names {
      guard let node = try node(name), node.port == port else { continue }
      if node.addresses.contains(where: { Self.spelled($0) == host }) { return node }
    }
    return nil
  }

  /// One spelling for all spellings of a host's name, or of an address.
  private static func spelled(_ host: String) -> String {
    let (address, zone) = SocketAddress.splitZone(host)
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1 else {
      return (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
    }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
    let spelled = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if let zone { return "\(spelled)%\(zone)" }
    // IPv6 can also write an address of IPv4: "::ffff:10.0.0.7". It is compared as "10.0.0.7".
    return spelled.hasPrefix("::ffff:") && spelled.contains(".") ? String(spelled.dropFirst(7)) : spelled
  }

  /// Writes a node's file. A node that is paired takes the place of its pending one. Throws `invalidArgument` for a text that
  /// is no node's name, and `failedPrecondition` where the file cannot be written.
  public func write(_ node: KnownNode) throws(CaptureError) {
    try KnownNode.requireName(node.name)
    let isPending = node.isPending
    let path = path(of: node.name, isPending: isPending)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(Saved(node)) else { preconditionFailure("a node that is no JSON") }
    do throws(Errno) { try SmallFile.replace(path, with: Array(data)) } catch {
      throw CaptureError(.failedPrecondition, "\(path) cannot be written: \(error)")
    }
    if !isPending { unlink(self.path(of: node.name, isPending: true)) }
  }

  /// The other known nodes with this key. Nodes share a key where their disks are copies of one image, or where one node is known by two names.
  public func others(with pin: Digest, besides name: String) throws(CaptureError) -> [KnownNode] {
    var others: [KnownNode] = []
    for other in names where other != name {
      if let node = try node(other), node.pin == pin { others.append(node) }
    }
    return others
  }

  /// Forgets a node. Returns whether it was known.
  public func remove(_ name: String) throws(CaptureError) -> Bool {
    guard KnownNode.isName(name) else { return false }
    unlink(path(of: name, isPending: true))
    guard unlink(path(of: name)) != 0 else { return true }
    if errno == ENOENT { return false }
    throw CaptureError(.failedPrecondition, "\(path(of: name)) cannot be removed: \(Errno.current)")
  }

  /// Runs `body` while no other process changes these files. Makes the folder if it is missing; other users cannot read it. Throws
  /// `failedPrecondition` if another process is changing the files, and the errors of `body`.
  public func locked<Value>(_ body: () async throws -> Value) async throws -> Value {
    var made = ""
    for part in folder.split(separator: "/") {
      made += "/" + part
      guard mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
      if access(made, F_OK) != 0 {
        throw CaptureError(.failedPrecondition, "\(made) cannot be made: \(Errno.current)")
      }
    }
    let lock: OwnedDescriptor
    do throws(Errno) {
      lock = try OwnedDescriptor(path: folder + "/lock", flags: O_RDWR | O_CREAT, mode: 0o600)
    } catch {
      throw CaptureError(.failedPrecondition, "\(folder) cannot be written: \(error)")
    }
    let isAlone: Bool
    do throws(Errno) { isAlone = try lock.acquireLock() } catch {
      throw CaptureError(.failedPrecondition, "\(folder)/lock cannot be locked: \(error)")
    }
    guard isAlone else {
      throw CaptureError(
        .failedPrecondition,
        "another program is changing the files of known nodes; try again when it is done")
    }
    let value = try await body()
    flock(lock.raw, LOCK_UN)
    return value
  }

  private struct Saved: Codable {
    var addresses: [String]
    var port: UInt16
    /// Either `key`, the SHA-256 of the node's key, or both `authority`, the certificates of a CA, and `serverName`, the name in the node's
    /// certificate.
    var key, authority, serverName: String?
    var secret, nextSecret: String?
    var client: String?
    var codeSHA256: String?

    init(_ node: KnownNode) {
      (addresses, port) = (node.addresses, node.port)
      switch node.proof {
      case .key(let pin): key = "\(pin)"
      case .certificate(let authority, let name): (self.authority, serverName) = (authority.pem, name)
      }
      (secret, nextSecret) = (node.secret?.hexadecimal, node.nextSecret?.hexadecimal)
      client = node.client
      codeSHA256 = node.code.map { "\($0)" }
    }

    private var proof: KnownNode.Proof? {
      switch (key, authority, serverName) {
      case (let key?, nil, nil): Digest(hexadecimal: key).map { .key($0) }
      case (nil, let pem?, let name?):
        CertificateAuthority(pem: pem).map { .certificate(authority: $0, name: name) }
      default: nil
      }
    }

    func node(_ name: String) -> KnownNode? {
      guard let proof, !addresses.isEmpty else { return nil }
      let own = secret.flatMap { Secret(hexadecimal: $0) }
      guard (own == nil) == (secret == nil) else { return nil }
      var node = KnownNode(
        name: name, addresses: addresses, port: port, proof: proof, secret: own, client: client,
        code: codeSHA256.flatMap { Digest(hexadecimal: $0) })
      node.nextSecret = nextSecret.flatMap { Secret(hexadecimal: $0) }
      return node
    }
  }
}
