import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

/// Makes this machine a client of a node, with the line that 'capture-node pair' has printed there.
@Sendable func pairWithNode(_ arguments: Arguments) async throws {
  let known = try KnownNodes.ofUser()
  let line = try pastedLine(arguments)
  let pairing: RemoteNode.Pairing
  do throws(CaptureError) {
    pairing = try await RemoteNode.pair(
      with: line, as: arguments[Options.knownAs], in: known,
      timeout: arguments[Options.timeout] ?? .seconds(10))
  } catch {
    guard error.details?.reason == .nameTaken else { throw error }
    throw ExplainedError(error, advice: "Another name: --name NAME")
  }
  let (node, role) = (pairing.node, pairing.role.rawValue)
  let text =
    "Paired with '\(node.name)', which calls this machine '\(node.client ?? "")'; it may \(role). "
    + "Try: capturectl --node \(node.name) devices\n"
  try Terminal.print(
    arguments[Options.json]
      ? "\(["node": node.name, "client": node.client, "role": role] as JSON)\n"
      : text)
}

private func pastedLine(_ arguments: Arguments) throws -> String {
  if let line = arguments[Options.pairingLine] {
    Terminal.printError(
      "capturectl: others on this machine may have read the line in the list of processes; paste it when asked instead\n"
    )
    return line
  }
  if isatty(STDIN_FILENO) == 1 {
    Terminal.printError("Paste the line that 'sudo capture-node pair' has printed: ")
  }
  guard let line = readLine() else {
    throw CaptureError(
      .invalidArgument, "no line came; 'sudo capture-node pair' on the node's machine prints one")
  }
  return line
}

@Sendable func listClients(_ context: CommandContext) async throws {
  let clients = try await context.node.clients()
  let viewers = try await context.node.status().viewers
  var table = TextTable("CLIENT", "ROLE", "OF", .flexible("CAMERAS"), .flexible("CONNECTED FROM"))
  for client in clients {
    for (place, grant) in client.rows.enumerated() {
      table.add(
        place == 0 ? client.name : "", grant.role.rawValue, grant.mediaNames.joined(separator: ", "),
        grant.cameras.isEvery ? "every" : grant.cameras.patterns.joined(separator: ", "),
        place == 0 ? client.peers.joined(separator: ", ") : "")
    }
  }
  try context.print(
    [
      "clients": clients.map { client in
        [
          "name": client.name, "fingerprint": JSON(fingerprint: client.fingerprint), "role": client.role,
          "expires_s": client.expires == 0 ? Int?.none : Int(client.expires), "cameras": client.cameras,
          "grants": client.grants, "peers": client.peers,
        ] as JSON
      },
      "viewers": viewers,
    ],
    text: (clients.isEmpty ? "The node knows no client.\n" : table.text()) + "\n"
      + fingerprints(of: clients)
      + (viewers.isEmpty
        ? "Nobody takes frames now.\n"
        : viewersText(viewers, width: Terminal.width, title: "CAMERA", camera: \.rawValue)))
}

/// The fingerprints, whole, in a table of their own: they are as long as a line.
private func fingerprints(of clients: [RemoteNode.Client]) -> String {
  let known = clients.filter { !$0.fingerprint.isEmpty }
  let table = TextTable("CLIENT", "FINGERPRINT", of: known) { client in [client.name, client.fingerprint] }
  return known.isEmpty ? "" : table.text() + "\n"
}

extension RemoteNode.Client {
  /// The client's grants. An older node reports a role and cameras instead.
  fileprivate var rows: [AccessGrant] {
    grants.isEmpty
      ? [AccessGrant(AccessRole(rawValue: role) ?? .view, cameras: CameraScope(cameras))] : grants
  }
}

@Sendable func revokeClient(_ context: CommandContext) async throws {
  let name = context.arguments[Options.client]!
  let ended = try await context.node.revoke(name, keepsJobs: context.arguments[Options.keepJobs])
  for problem in ended.problems { Terminal.printError("capturectl: warning: \(problem.printable)\n") }
  let connections =
    ended.connections == 1 ? "1 connection was ended" : "\(ended.connections) connections were ended"
  let lists = [
    ("Sessions that were closed", ended.sessions), ("Timelapses that were stopped", ended.jobs),
    ("Sessions that stay, since others take frames of them", ended.usedSessions),
  ]
  try context.print(
    [
      "client": name, "connections": ended.connections, "sessions": ended.sessions, "jobs": ended.jobs,
      "used_sessions": ended.usedSessions, "problems": ended.problems,
    ],
    text: lists.filter { !$0.1.isEmpty }.reduce("'\(name)' is revoked; \(connections).\n") {
      "\($0)\($1.0): \($1.1.map(\.printable).joined(separator: ", "))\n"
    })
}
