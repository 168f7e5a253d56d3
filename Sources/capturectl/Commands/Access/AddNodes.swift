import CaptureAccess
import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

extension KnownNodes {
  /// Records how to recognise a node that has shown `key`. `renaming`: how a person gives it another name. Returns a warning if another node has the
  /// same key.
  fileprivate func add(_ node: KnownNode, showing key: Digest, renaming: String) throws -> String? {
    var node = node
    if let old = try self.node(node.name) {
      // A node that is known by a CA may change its key.
      guard old.pin == key || old.pin == nil && node.pin == nil else {
        throw CaptureError(
          .alreadyExists,
          "\(old.pin == nil ? "'\(node.name)' is known by its certificate" : "'\(node.name)' is known with another key"). If that node was set up anew, forget it: capturectl node remove \(node.name); otherwise give this one another name: \(renaming)"
        )
      }
      (node.secret, node.client, node.nextSecret) = (old.secret, old.client, old.nextSecret)
    }
    let others = try others(with: key, besides: node.name)
    try write(node)
    guard !others.isEmpty else { return nil }
    return
      "'\(node.name)' has the key of \(others.map { "'\($0.name)'" }.joined(separator: ", ")). If they are two machines, one is a copy of the other's image, and each can "
      + "pass for the other: run 'sudo capture-node identity new' on one of them"
  }
}

/// Records how to recognise nodes: by the key of a fingerprint line, by the key that a node shows at first contact, or by a CA.
@Sendable func addNodes(_ arguments: Arguments) async throws {
  var words = arguments.all(Options.nodeAddresses)
  if let file = arguments[Options.nodeFile] { words += try lines(of: file) }
  guard !words.isEmpty else {
    throw CaptureError(
      .invalidArgument,
      "no node is named: give its address, a line that 'sudo capture-node fingerprint' has printed, or --from FILE"
    )
  }
  let name = arguments[Options.knownAs]
  guard name == nil || words.count == 1 else {
    throw CaptureError(.invalidArgument, "--name is for one node, and \(words.count) are named")
  }
  let known = try KnownNodes.ofUser()
  var added: [FoundNode] = []
  var (warnings, failures): ([String], [String]) = ([], [])
  try await known.locked {
    for word in words {
      do {
        let found = try await findNode(word, name: name, arguments)
        if let warning = try known.add(found.node, showing: found.key, renaming: found.renaming) {
          warnings.append(warning)
        }
        added.append(found)
      } catch {
        failures.append("\(word.prefix(80).description.printable): \(explain(error))")
      }
    }
  }
  var text = added.map { found in
    "\(found.node.name): \(found.node.proof.text)\(found.isUnverified ? " (trusted on first contact, at \(found.node.addresses[0]))" : "")\n"
  }.joined()
  if added.contains(where: \.isUnverified) {
    text += "Compare with what 'sudo capture-node fingerprint' prints on the nodes.\n"
  }
  let document: JSON = [
    "nodes": added.map { found in
      [
        "name": found.node.name, "key": found.node.pin.map { "\($0)" },
        "server_name": found.node.proof.serverName, "first_use": found.isUnverified,
      ] as JSON
    },
    "warnings": warnings,
  ]
  try Terminal.print(arguments[Options.json] ? "\(document)\n" : text)
  for warning in warnings { Terminal.printError("capturectl: warning: \(warning)\n") }
  guard let first = failures.first else { return }
  throw CaptureError(
    .failedPrecondition,
    failures.count == 1
      ? first : "\(failures.count) of \(words.count) were not added:\n\(failures.joined(separator: "\n"))")
}

private struct FoundNode {
  var node: KnownNode
  var key: Digest
  /// Whether only the node itself has said that the key is the node's.
  var isUnverified = false
  /// How a person gives the node another name than it has here.
  var renaming = "--name NAME"
}

/// Finds the node that an argument or a line of a file means.
private func findNode(_ word: String, name: String?, _ arguments: Arguments) async throws -> FoundNode {
  if FingerprintLine.resembles(word) {
    let line = try FingerprintLine(parsing: word)
    return FoundNode(
      node: KnownNode(
        name: name ?? line.host, addresses: line.addresses, port: line.port, pin: line.pin, secret: nil),
      key: line.pin,
      renaming: name == nil ? "change the second field of its line (capture-node/NAME/…)" : "--name NAME")
  }
  let address = try SocketAddress(parsing: word)
  let (host, port): (String, UInt16)
  switch address {
  case .internet(let numeric, let number, _): (host, port) = (numeric, number)
  case .name(let text, let number): (host, port) = (text, number)
  case .unix:
    throw CaptureError(
      .invalidArgument, "a Unix socket has no key: the permissions of the file decide who may use it")
  }
  let authority = try arguments[Options.authority].map { try CertificateAuthority(file: $0) }
  guard authority != nil || arguments[Options.trustFirstUse] else {
    throw CaptureError(
      .failedPrecondition,
      "nothing says which key is the node's: give the line that 'sudo capture-node fingerprint' prints there, the CA of its certificate (--ca), or take the key that it shows: --trust-first-use"
    )
  }
  var configuration = RemoteNode.Configuration(address: address)
  configuration.timeout = arguments[Options.timeout]
  configuration.agent = "capturectl/\(Program.capturectl.version)"
  configuration.authority = authority
  let shown = try await RemoteNode.shownKey(configuration)
  let certified = SocketAddress.splitZone(host).address
  let proof = authority.map { KnownNode.Proof.certificate(authority: $0, name: certified) } ?? .key(shown.key)
  let node = KnownNode(
    name: name ?? String(host.map { $0 == ":" || $0 == "%" ? "-" : $0 }), addresses: [host], port: port,
    proof: proof, secret: nil)
  return FoundNode(node: node, key: shown.key, isUnverified: authority == nil)
}

private func lines(of file: String) throws -> [String] {
  let most = 1 << 20
  let bytes: [UInt8]
  do throws(Errno) {
    bytes =
      try file == "-"
      ? SmallFile.bytes(from: STDIN_FILENO, upTo: most) : SmallFile.bytes(of: file, upTo: most)
  } catch {
    let name = file == "-" ? "standard input" : file
    throw CaptureError(.invalidArgument, "\(name) cannot be read: \(error)")
  }
  return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { $0.trimmed }.filter {
    !$0.isEmpty && !$0.hasPrefix("#")
  }
}
