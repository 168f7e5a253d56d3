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
      ? "\(["node": .string(node.name), "client": node.client.map(JSON.string) ?? .null, "role": .string(role)] as JSON)\n"
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
  var table = TextTable([
    .init("CLIENT"), .init("ROLE"), .init("OF"), .init("CAMERAS", isFlexible: true),
    .init("CONNECTED FROM", isFlexible: true),
  ])
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
      "clients": .array(
        clients.map { client in
          [
            "name": .string(client.name), "fingerprint": JSON(fingerprint: client.fingerprint),
            "role": .string(client.role),
            "expires_s": client.expires == 0 ? .null : JSON(Int(client.expires)),
            "cameras": .array(client.cameras.map(JSON.string)), "grants": JSON(client.grants),
            "peers": .array(client.peers.map(JSON.string)),
          ]
        }),
      "viewers": .array(viewers.map { JSON($0) }),
    ],
    text: (clients.isEmpty ? "The node knows no client.\n" : table.text(width: Terminal.width)) + "\n"
      + fingerprints(of: clients)
      + (viewers.isEmpty
        ? "Nobody takes frames now.\n"
        : viewersText(viewers, width: Terminal.width, title: "CAMERA", camera: \.rawValue)))
}

/// The fingerprints, whole, in a table of their own: they are as long as a line.
private func fingerprints(of clients: [RemoteNode.Client]) -> String {
  var table = TextTable([.init("CLIENT"), .init("FINGERPRINT")])
  let known = clients.filter { !$0.fingerprint.isEmpty }
  for client in known { table.add(client.name, client.fingerprint) }
  return known.isEmpty ? "" : table.text(width: Terminal.width) + "\n"
}

extension RemoteNode.Client {
  /// Its grants. An older node tells a role and cameras instead.
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
      "client": .string(name), "connections": JSON(ended.connections),
      "sessions": .array(ended.sessions.map(JSON.string)), "jobs": .array(ended.jobs.map(JSON.string)),
      "used_sessions": .array(ended.usedSessions.map(JSON.string)),
      "problems": .array(ended.problems.map(JSON.string)),
    ],
    text: lists.filter { !$0.1.isEmpty }.reduce("'\(name)' is revoked; \(connections).\n") {
      "\($0)\($1.0): \($1.1.map(\.printable).joined(separator: ", "))\n"
    })
}
