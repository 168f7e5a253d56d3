import CaptureClient
import CaptureOptions

/// Lists what clients have asked for.
@Sendable func listAccessRequests(_ context: CommandContext) async throws {
  let requests = try await context.node.accessRequests()
  try context.print(
    ["requests": requests],
    text: requests.isEmpty ? "Nobody asks for access.\n" : requests.map(text).joined(separator: "\n"))
}

@Sendable func approveAccess(_ context: CommandContext) async throws {
  let client = context.arguments[Options.client]!
  let now = try await context.node.approveAccess(of: client, number: context.requestNumber)
  try context.print(decision(client, true, now), text: "'\(client)' has now: \(text(of: now)).\n")
}

@Sendable func denyAccess(_ context: CommandContext) async throws {
  let client = context.arguments[Options.client]!
  let now = try await context.node.denyAccess(of: client, number: context.requestNumber)
  try context.print(
    decision(client, false, now),
    text: "'\(client)' is told that its request was denied; it may ask again in an hour.\n")
}

private typealias Rights = (role: AccessRole, cameras: [String], grants: [AccessGrant])

/// The rights, for a person. An older node reports a role and cameras instead of grants.
private func text(of now: Rights) -> String {
  (now.grants.isEmpty ? [AccessGrant(now.role, cameras: CameraScope(now.cameras))] : now.grants).text
}

private func decision(_ client: String, _ isApproved: Bool, _ now: Rights) -> JSON {
  [
    "client": client, "approved": isApproved, "role": now.role.rawValue, "cameras": now.cameras,
    "grants": now.grants,
  ]
}

extension CommandContext {
  fileprivate var requestNumber: UInt64? { arguments[Options.requestNumber].map { UInt64($0) } }
}

private func text(_ request: PendingAccess) -> String {
  let devices = request.devices.map(\.rawValue).joined(separator: ", ")
  let isOfCameras = !request.wanted.cameras.isEmpty || !devices.isEmpty
  let list: TextList = [
    "Client": request.client, "Fingerprint": request.fingerprint.isEmpty ? nil : request.fingerprint,
    "Asks for": request.wanted.text,
    "That is": !isOfCameras ? nil : devices.isEmpty ? "no further camera that is there now" : devices,
    "It has": text(of: (request.role, request.cameras, request.grants)),
    "Approved": request.approved.isEmpty ? nil : request.approved.text,
    "From": request.peer == "unix" ? "Unix socket" : request.peer,
    "Since": Moment.text(request.wanted.asked * 1_000_000_000), "Number": "\(request.number)",
  ]
  return list.text()
}

extension PendingAccess: JSONValue {
  var json: JSON {
    [
      "client": client, "fingerprint": JSON(fingerprint: fingerprint), "number": number,
      "role": role.rawValue, "cameras": cameras, "grants": grants, "approved": approved, "wanted": wanted,
      "devices": devices.map(\.rawValue), "peer": peer,
    ]
  }
}
