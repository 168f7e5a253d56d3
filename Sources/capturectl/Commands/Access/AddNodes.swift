import CaptureAccess
import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

extension KnownNodes {
  /// Writes a node's key down. Returns a warning where another node has the same one.
  fileprivate func add(_ node: KnownNode) throws -> String? {
    var node = node
    if let old = try self.node(node.name) {
      guard old.pin == node.pin else {
        throw CaptureError(
          .alreadyExists,
          "another key is known of '\(node.name)'. If that node was set up anew, remove what is known: capturectl node remove \(node.name); otherwise give this one another name: --name NAME"
        )
      }
      (node.secret, node.client, node.nextSecret) = (old.secret, old.client, old.nextSecret)
    }
    let others = try others(with: node.pin, besides: node.name)
    try write(node)
    guard !others.isEmpty else { return nil }
    return
      "'\(node.name)' has the key of \(others.map { "'\($0.name)'" }.joined(separator: ", ")). If they are two machines, one is a copy of the other's image, and each can "
      + "pass for the other: run 'sudo capture-node identity new' on one of them"
  }
}

/// Records nodes' keys: of lines that 'capture-node fingerprint' has printed, or as nodes show them at first contact.
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
  var added: [(node: KnownNode, isTrusted: Bool)] = []
  var (warnings, failures): ([String], [String]) = ([], [])
  try await known.locked {
    for word in words {
      do {
        let (node, isTrusted) = try await found(word, name: name, arguments)
        if let warning = try known.add(node) { warnings.append(warning) }
        added.append((node, isTrusted))
      } catch {
        failures.append("\(word.prefix(80).description.printable): \(explain(error))")
      }
    }
  }
  var text = added.map { node, isTrusted in
    "\(node.name): \(node.pin)\(isTrusted ? " (trusted on first contact, at \(node.addresses[0]))" : "")\n"
  }.joined()
  if added.contains(where: \.isTrusted) {
    text += "Compare with what 'sudo capture-node fingerprint' prints on the nodes.\n"
  }
  let document: JSON = [
    "nodes": .array(
      added.map { node, isTrusted in
        ["name": .string(node.name), "key": .string("\(node.pin)"), "first_use": .bool(isTrusted)]
      }),
    "warnings": .array(warnings.map(JSON.string)),
  ]
  try Terminal.print(arguments[Options.json] ? "\(document)\n" : text)
  for warning in warnings { Terminal.printError("capturectl: warning: \(warning)\n") }
  guard let first = failures.first else { return }
  throw CaptureError(
    .failedPrecondition,
    failures.count == 1
      ? first : "\(failures.count) of \(words.count) were not added:\n\(failures.joined(separator: "\n"))")
}

/// The node that an argument or a line of a file means, and whether its key is only what it has shown.
private func found(
  _ word: String, name: String?, _ arguments: Arguments
) async throws -> (node: KnownNode, isTrusted: Bool) {
  if FingerprintLine.resembles(word) {
    let line = try FingerprintLine(parsing: word)
    return (
      KnownNode(
        name: name ?? line.host, addresses: line.addresses, port: line.port, pin: line.pin, secret: nil),
      false
    )
  }
  let address = try SocketAddress(parsing: word)
  let (host, port): (String, UInt16)
  switch address {
  case .internet(let numeric, let number, _): (host, port) = (numeric, number)
  case .name(let text, let number): (host, port) = (text, number)
  case .unix: throw CaptureError(.invalidArgument, "a Unix socket has no key: whoever may open it may use it")
  }
  guard arguments[Options.trustFirstUse] else {
    throw CaptureError(
      .failedPrecondition,
      "nothing says which key is the node's: give the line that 'sudo capture-node fingerprint' prints there, or take the key that it shows: --trust-first-use"
    )
  }
  var configuration = RemoteNode.Configuration(address: address)
  configuration.timeout = arguments[Options.timeout]
  configuration.agent = "capturectl/\(Program.capturectl.version)"
  let shown = try await RemoteNode.shownKey(configuration)
  return (
    KnownNode(
      name: name ?? String(host.map { $0 == ":" ? "-" : $0 }), addresses: [host], port: port, pin: shown.key,
      secret: nil), true
  )
}

private func lines(of file: String) throws -> [String] {
  var text = ""
  if file == "-" {
    while let line = readLine(strippingNewline: false), text.utf8.count < 1 << 20 { text += line }
  } else {
    do throws(Errno) {
      text = String(decoding: try SmallFile.bytes(of: file, upTo: 1 << 20), as: UTF8.self)
    } catch {
      throw CaptureError(.invalidArgument, "\(file) cannot be read: \(error)")
    }
  }
  return text.split(whereSeparator: \.isNewline).map { $0.trimmed }.filter {
    !$0.isEmpty && !$0.hasPrefix("#")
  }
}
