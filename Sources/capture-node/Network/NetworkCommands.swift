import CaptureAccess
import CaptureModel
import CaptureNode
import CaptureOptions
import CaptureSystem
import CaptureTLS
import CaptureWire
import Glibc

extension NodeProgram {
  static let socket = Option(
    "socket",
    ValueType<SocketAddress>("ADDRESS") { text throws(ValueError) in
      do throws(SocketAddressError) { return try SocketAddress(parsing: text) } catch {
        throw ValueError("takes an address: \(error)")
      }
    },
    help:
      "The node's own socket: unix:PATH. Without it: /run/capture-node/socket, or capture-node/socket in $XDG_RUNTIME_DIR."
  )
  static let role = Option(
    "role", .choice("ROLE", AccessRole.allCases.map(\.rawValue)),
    help: "What the client may do: view, control or admin.", defaultText: "control")
  static let clientName = Option(
    "name",
    ValueType<String>("NAME", expectation: KnownClient.namePattern) {
      KnownClient.isName($0) ? $0 : nil
    }, help: "What the client is called. Without it: its host name.")
  static let cameras = Option(
    "cameras",
    ValueType<String>("PATTERN", expectation: CameraScope.expectation) {
      CameraScope.isPattern($0) ? $0 : nil
    },
    help:
      "The cameras that the client sees, by a pattern of their identities ('usb-*', '*C920*'), which covers cameras that come later; others are not there for it. "
      + "May be given several times. Without it: every camera.",
    isRepeatable: true)
  static let grants = Option(
    "grant",
    ValueType<AccessGrant>("ROLE[/MEDIUM][:PATTERN]") { text throws(ValueError) in
      do throws(AccessGrant.TextError) { return try AccessGrant(parsing: text) } catch {
        throw ValueError("takes \(error.expectation)\(error.namesAdmin ? ": --role admin" : "")")
      }
    },
    help:
      "A right of the client, in place of --role and --cameras: the role view or control. With /video it is only for cameras, with /library only for pictures that the node keeps; with :PATTERN only for the cameras whose identities match. Several rights add up.",
    isRepeatable: true)
  static let expires = Option(
    "expires", .integer("DAYS", in: 1...36_500),
    help: "The client is known for this many days. Without it: until it is revoked.")
  static let port = Option(
    "port", .integer("PORT", in: 1...65_535),
    help:
      "Open the node at this port, where it is not open yet and its configuration names no address for the network.",
    defaultText: "\(SocketAddress.defaultPort)")
  static let reachedAt = Option(
    "address", .text("ADDRESS"),
    help:
      "Where the client reaches this machine, as behind a router: an IPv4 or IPv6 address without a port. The line has room for four. Without it: those at which the node listens; where that is every address, those of this machine's interfaces.",
    isRepeatable: true)
  static let qr = Flag(
    "qr",
    help:
      "Show the line as a QR code too, on a terminal that is wide enough (libqrencode4).")
  static let close = Flag(
    "close",
    help:
      "End listening for the network, and the connections that came that way. It stays closed over restarts, also at addresses of its configuration, until 'capture-node pair' opens it."
  )

  static let pair = Command(
    "pair", summary: "Let another machine use this node.",
    discussion: [
      "It prints a line. Whoever gives that line to 'capturectl pair' within ten minutes becomes a client; it works once. Send it where nobody else can read it.",
      "If the node is closed to the network, it is opened, encrypted: at the addresses there that its configuration names, and if there are none at every address of this machine.",
      "Only root and the node's own user may do this.",
    ],
    options: [role, cameras, grants, clientName, expires, port, reachedAt, qr, socket],
    examples: [
      .init("sudo capture-node pair", "A line for a machine that may change settings."),
      .init("sudo capture-node pair --role view --expires 7", "One that may only look, for a week."),
      .init("sudo capture-node pair --cameras 'usb-*'", "For a machine that sees the USB cameras alone."),
      .init(
        "sudo capture-node pair --grant 'control/video:usb-*' --grant view",
        "It controls the USB cameras, sees all cameras, and reads kept pictures."),
    ])
  static let network = Command(
    "listen", summary: "Show where the network reaches this node, or close that.", options: [close, socket],
    examples: [
      .init("sudo capture-node listen", "The addresses, and the fingerprint of the node's key."),
      .init(
        "sudo capture-node listen --close",
        "Only this machine reaches it, also after restarts, until 'sudo capture-node pair' opens it."),
    ])

  static let reload = Command(
    "reload", summary: "Read the configuration again.",
    discussion: [
      "The node reads all files first: where one is wrong, nothing changes, and the error names the file, the line and the key. Clients that access.d no longer names are cut off. "
        + "The certificate of the key 'tls' is exchanged for new connections. "
        + "Other keys hold from the node's next start (systemctl restart capture-node); those that have changed are named."
    ],
    options: [socket],
    examples: [.init("sudo capture-node reload", "After a change in /etc/capture-node/access.d.")])

  static let fingerprint = Command(
    "fingerprint", summary: "Print the line by which clients know this node's key.",
    discussion: [
      "It has the host name, the addresses, the port and the key, and is no secret: 'capturectl node add' takes it."
    ],
    options: [reachedAt, socket],
    examples: [
      .init(
        "sudo capture-node fingerprint", "A line for 'capturectl node add'.")
    ])
  static let newIdentity = Command(
    "new", summary: "Make another key for this node.",
    discussion: [
      "For a machine that was cloned with its key: two nodes with one key can pass for one another. Clients that were paired are forgotten, and have to pair again; they are listed."
    ],
    options: [socket],
    examples: [.init("sudo capture-node identity new", "On one of two clones.")])
  static let identity = Command(
    "identity", summary: "Change the identity of this node.", commands: [newIdentity])

  /// Runs one of these commands. Returns the exit status.
  static func run(_ arguments: Arguments) async -> Int32 {
    do {
      let access = try await OwnNode.access(at: arguments[socket])
      switch arguments.command {
      case [pair.name]: try await printPairing(arguments, access)
      case [fingerprint.name]: try await printFingerprint(arguments, access)
      case [identity.name, newIdentity.name]: try await printIdentity(access)
      case [reload.name]: try await printReload(access)
      default: try await printListeners(arguments, access)
      }
      return 0
    } catch {
      let text = OwnNode.explanation(of: RPCError(any: error))
      Log.write("capture-node: \(text.abridged(to: 4000))\n", to: STDERR_FILENO)
      return 1
    }
  }

  /// The addresses at which other machines reach this machine.
  private static func ownAddresses(_ arguments: Arguments) throws -> [String] {
    let addresses = arguments.isGiven(reachedAt) ? arguments.all(reachedAt) : HostAddresses.found()
    for address in addresses {
      // The line is for other machines, where a link-local address has another zone.
      guard !address.contains("%"),
        case .internet? = try? SocketAddress(parsing: address.contains(":") ? "[\(address)]" : address)
      else {
        throw RPCError(.invalidArgument, "--address \(address): it is no IPv4 or IPv6 address")
      }
    }
    guard !addresses.isEmpty else {
      throw RPCError(
        .failedPrecondition,
        "no interface of this machine is up and has an address; connect it, or name one with --address")
    }
    return addresses
  }

  /// The addresses of a line, out of this machine's `own`. `listeners`: where the network reaches the node; those at `port` are looked at.
  private static func lineAddresses(
    _ own: [String], _ arguments: Arguments, _ listeners: [String], port: UInt16
  ) throws -> LineAddresses {
    guard !arguments.isGiven(reachedAt) else { return LineAddresses(own, areNamed: true) }
    let listeners = try listeners.map { try SocketAddress(parsing: $0) }.filter { $0.port == port }
    return LineAddresses(LineAddresses.served(by: listeners, of: own), areNamed: false)
  }

  private static func tell(_ note: String?) {
    if let note { Log.write("capture-node: \(note)\n", to: STDERR_FILENO) }
  }

  private static func printFingerprint(_ arguments: Arguments, _ access: AccessClient) async throws {
    let answer = try await access.listen(ListenRequest())
    guard let pin = Digest(bytes: answer.pin),
      let port = try answer.addresses.compactMap({ try SocketAddress(parsing: $0).port }).first
    else {
      throw RPCError(
        .failedPrecondition,
        "the network does not reach this node; 'sudo capture-node pair' opens it. If nobody has closed it, an address under 'listen' in its configuration does so, too, from its next start on"
      )
    }
    let addresses = try lineAddresses(ownAddresses(arguments), arguments, answer.addresses, port: port)
    let line = FingerprintLine(host: CameraNode.name, addresses: addresses.taken, port: port, pin: pin)
    tell(addresses.note)
    try Log.print("\(line.text)\n")
  }

  private static func printIdentity(_ access: AccessClient) async throws {
    let answer = try await access.newIdentity(NewIdentityRequest())
    var text = "This node has another key: \(answer.pin.hexadecimal)\n"
    if !answer.clients.isEmpty { text += "These pair again: \(answer.clients.joined(separator: ", "))\n" }
    if !answer.configured.isEmpty {
      text +=
        "These have to learn the key ('capturectl node add'): \(answer.configured.joined(separator: ", "))\n"
    }
    try Log.print(text)
  }

  private static func printPairing(_ arguments: Arguments, _ access: AccessClient) async throws {
    let own = try ownAddresses(arguments)
    let days = arguments.isGiven(expires) ? arguments[expires] : nil
    let all = arguments.all(grants)
    guard all.isEmpty || !arguments.isGiven(role) && !arguments.isGiven(cameras) else {
      throw RPCError(
        .invalidArgument, "--grant takes the place of --role and --cameras: leave out those, or --grant")
    }
    let role: AccessRole? = all.isEmpty ? arguments[role].flatMap(AccessRole.init) ?? .control : nil
    let request = NewPairingRequest(
      role: role.map { Role($0) } ?? .unspecified,
      name: arguments[clientName] ?? "", clientSeconds: UInt64(days ?? 0) * 86_400,
      port: UInt32(arguments[port] ?? Int(SocketAddress.defaultPort)),
      cameras: arguments.all(cameras), grants: all.map { Grant($0) })
    let answer = try await newPairing(request, access)
    guard let pin = Digest(bytes: answer.pin) else { throw RPCError(.internal, "the node has no key") }
    let listeners = try await access.listen(ListenRequest()).addresses
    let addresses = try lineAddresses(own, arguments, listeners, port: UInt16(answer.port))
    let line = PairingLine(
      host: answer.host, addresses: addresses.taken, port: UInt16(answer.port), pin: pin, code: answer.code)
    tell(addresses.note)
    for pattern in answer.unmatched {
      Log.write(
        "capture-node: '\(pattern)' matches no camera that this node has had since its start; 'capturectl devices' shows their identities\n",
        to: STDERR_FILENO)
    }
    if answer.opened {
      Log.write(
        "This node is now open to the network at port \(answer.port), encrypted. 'capture-node listen --close' ends that.\n",
        to: STDERR_FILENO)
    }
    try answer.requireGrants(of: request)
    if arguments[qr], let reason = QRCode.show(line.text) {
      Log.write("capture-node: no QR code: \(reason)\n", to: STDERR_FILENO)
    }
    Log.write(
      "On the other machine run 'capturectl pair', and paste this line within \(answer.seconds / 60) minutes. It works once; show it to nobody else.\n",
      to: STDERR_FILENO)
    try Log.print("\(line.text)\n")
  }

  /// Asks the node for a pairing code. If the port is taken, the error names the process that has it, as far as this process may know that.
  private static func newPairing(
    _ request: NewPairingRequest, _ access: AccessClient
  ) async throws -> NewPairingResponse {
    do throws(RPCError) { return try await access.newPairing(request) } catch {
      guard error.details?.field == "port", case .number(let number)? = error.details?.asked,
        let port = UInt16(exactly: number), let owner = PortOwner.name(of: port)
      else { throw error }
      throw RPCError(error.code, "\(error.text): \(owner). Nothing has changed", error.details)
    }
  }

  private static func printReload(_ access: AccessClient) async throws {
    let answer = try await access.reload(ReloadRequest())
    var text =
      "The configuration was read again. It names \(answer.clients == 1 ? "1 client" : "\(answer.clients) clients").\n"
    if !answer.ended.isEmpty {
      text +=
        "Cut off, since it names them no longer or otherwise: \(answer.ended.joined(separator: ", ")) (\(answer.connections == 1 ? "1 connection" : "\(answer.connections) connections")).\n"
    }
    if !answer.nextStart.isEmpty {
      text +=
        "These hold from the node's next start: \(answer.nextStart.joined(separator: ", ")) (sudo systemctl restart capture-node).\n"
    }
    for warning in answer.warnings { Log.write("capture-node: \(warning)\n", to: STDERR_FILENO) }
    try Log.print(text)
  }

  private static func printListeners(_ arguments: Arguments, _ access: AccessClient) async throws {
    let answer = try await access.listen(ListenRequest(close: arguments[close]))
    if arguments[close] {
      let ended =
        answer.connections == 1 ? "1 connection was ended" : "\(answer.connections) connections were ended"
      return try Log.print(
        "Closed to the network, also after restarts, until 'capture-node pair' opens it; \(ended).\n")
    }
    guard !answer.addresses.isEmpty else {
      return try Log.print("The network does not reach this node. 'capture-node pair' opens it.\n")
    }
    let certificate = CertificateFacts(pem: String(decoding: answer.certificate, as: UTF8.self))
    let isOwn = certificate?.names == [TLSIdentity.serverName]
    try Log.print(
      "Open to the network at \(answer.addresses.joined(separator: ", ")); \(answer.connections) connected.\nKey: \(answer.pin.hexadecimal)\n"
        + (isOwn ? "" : "Certificate: \(certificate?.text ?? "none")\n"))
  }
}
