import CaptureAccess
import CaptureClient
import CaptureOptions
import CaptureSystem

/// Gives this machine another secret at a node. If the command was cut short, it uses the same secret when it is run again.
@Sendable func rotateCredential(_ arguments: Arguments) async throws {
  let (known, name) = (try KnownNodes.ofUser(), arguments[Options.knownNode]!)
  try await known.locked {
    var node = try known.required(name)
    guard node.secret != nil else {
      throw CaptureError(
        .failedPrecondition,
        "this machine has no secret of its own for '\(name)': if files of nodes' access.d name it, 'capturectl credential renew' makes another secret"
      )
    }
    let secret = node.nextSecret ?? .make()
    node.nextSecret = secret
    try known.write(node)
    func connected(with secret: Secret?) async throws -> RemoteNode {
      node.secret = secret
      var configuration = try RemoteNode.Configuration(node)
      configuration.timeout = arguments[Options.timeout]
      configuration.agent = "capturectl/\(Program.capturectl.version)"
      configuration.reconnect = nil
      return try await RemoteNode(configuration: configuration)
    }
    let remote = try await connected(with: node.secret)
    try await remote.rotateCredential(to: secret)
    await remote.close()
    (node.secret, node.nextSecret) = (secret, nil)
    try known.write(node)
    // The first use of the new secret makes the old one invalid.
    await (try await connected(with: secret)).close()
  }
  try Terminal.print(
    arguments[Options.json]
      ? "\(["name": name] as JSON)\n"
      : "This machine has another secret at '\(name)'; the old one is worth nothing now.\n")
}
