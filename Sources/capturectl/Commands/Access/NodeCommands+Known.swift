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
  var table = TextTable([
    .init("NODE"), .init("ADDRESSES"), .init("CLIENT"), .init("KNOWN BY", isFlexible: true),
  ])
  for node in nodes {
    table.add(
      node.name,
      node.addresses.map { $0.contains(":") ? "[\($0)]:\(node.port)" : "\($0):\(node.port)" }.joined(
        separator: ", "),
      node.client ?? "-", node.proof.text)
  }
  if arguments[Options.json] {
    let document: JSON = ["nodes": .array(nodes.map { JSON($0) })]
    return try Terminal.print("\(document)\n")
  }
  try Terminal.print(
    nodes.isEmpty
      ? "No node is known. 'capturectl pair' and 'capturectl node add' change that.\n"
      : table.text(width: Terminal.width))
}

@Sendable func removeNode(_ arguments: Arguments) async throws {
  let (known, name) = (try KnownNodes.ofUser(), arguments[Options.knownNode]!)
  let isGone = try await known.locked { try known.remove(name) }
  guard isGone else { return _ = try known.required(name) }
  try Terminal.print(
    arguments[Options.json]
      ? "\(["name": .string(name)] as JSON)\n"
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
      ? "\(["certificate": .string(shown.certificate), "key": .string("\(shown.key)")] as JSON)\n"
      : shown.certificate)
}

extension JSON {
  fileprivate init(_ node: KnownNode) {
    self = [
      "name": .string(node.name), "key": node.pin.map { .string("\($0)") } ?? .null,
      "server_name": node.proof.serverName.map(JSON.string) ?? .null,
      "addresses": .array(node.addresses.map(JSON.string)), "port": JSON(Int(node.port)),
      "client": node.client.map(JSON.string) ?? .null,
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
