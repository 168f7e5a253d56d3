import CaptureClient
import CaptureOptions
import CaptureSystem

extension KnownNodes {
  /// The known nodes of this user. Throws if nothing says where to keep them.
  static func ofUser() throws -> KnownNodes {
    guard let known = KnownNodes.usual else {
      throw ExplainedError(
        CaptureError(.failedPrecondition, "there is no folder for the files of known nodes"),
        advice: "Set HOME.")
    }
    return known
  }
}

@Sendable func listNodes(_ arguments: Arguments) async throws {
  let known = try KnownNodes.ofUser()
  let nodes = try known.names.compactMap { try known.node($0) }
  let table = TextTable("NODE", "ADDRESSES", "CLIENT", .flexible("KNOWN BY"), of: nodes) { node in
    [
      node.name,
      node.addresses.map { $0.contains(":") ? "[\($0)]:\(node.port)" : "\($0):\(node.port)" }.joined(
        separator: ", "),
      node.client ?? "-", node.proof.text,
    ]
  }
  if arguments[Options.json] {
    let document: JSON = ["nodes": nodes]
    return try Terminal.print("\(document)\n")
  }
  try Terminal.print(
    nodes.isEmpty
      ? "No node is known. 'capturectl pair' and 'capturectl node add' change that.\n"
      : table.text())
}

@Sendable func removeNode(_ arguments: Arguments) async throws {
  let (known, name) = (try KnownNodes.ofUser(), arguments[Options.knownNode]!)
  let isGone = try await known.locked { try known.remove(name) }
  guard isGone else { return _ = try known.required(name) }
  try Terminal.print(
    arguments[Options.json]
      ? "\(["name": name] as JSON)\n"
      : "'\(name)' is forgotten. At the node 'capturectl access revoke' ends this machine's right.\n")
}

/// Prints a node's certificate, if the node shows the key that is known.
@Sendable func printCertificate(_ arguments: Arguments) async throws {
  let node = try KnownNodes.ofUser().required(arguments[Options.knownNode]!)
  var configuration = try RemoteNode.Configuration(node)
  configuration.timeout = arguments[Options.timeout]
  let shown = try await RemoteNode.shownKey(configuration)
  try Terminal.print(
    arguments[Options.json]
      ? "\(["certificate": shown.certificate, "key": "\(shown.key)"] as JSON)\n"
      : shown.certificate)
}

extension KnownNode: JSONValue {
  var json: JSON {
    [
      "name": name, "key": pin.map { "\($0)" }, "server_name": proof.serverName, "addresses": addresses,
      "port": Int(port), "client": client,
    ]
  }
}

extension KnownNode.Proof {
  /// For a person.
  var text: String {
    switch self {
    case .key(let pin): "\(pin)"
    case .certificate(_, let name): "the certificate of \(name)"
    }
  }

  /// The name that the node's certificate has; `nil`: the node is known by its key.
  var serverName: String? {
    if case .certificate(_, let name) = self { name } else { nil }
  }
}
