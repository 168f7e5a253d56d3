import CaptureClient
import CaptureOptions

/// What clients have asked for.
@Sendable func listAccessRequests(_ context: CommandContext) async throws {
  let requests = try await context.node.accessRequests()
  try context.print(
    ["requests": .array(requests.map { JSON($0) })],
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

/// An older node tells a role and cameras instead of grants.
private func text(of now: Rights) -> String {
  (now.grants.isEmpty ? [AccessGrant(now.role, cameras: CameraScope(now.cameras))] : now.grants).text
}

private func decision(_ client: String, _ isApproved: Bool, _ now: Rights) -> JSON {
  [
    "client": .string(client), "approved": .bool(isApproved), "role": .string(now.role.rawValue),
    "cameras": .array(now.cameras.map(JSON.string)), "grants": JSON(now.grants),
  ]
}

extension CommandContext {
  fileprivate var requestNumber: UInt64? { arguments[Options.requestNumber].map { UInt64($0) } }
}

private func text(_ request: PendingAccess) -> String {
  listText(
    [
      ("Client", request.client), ("Fingerprint", request.fingerprint), ("Asks for", request.wanted.text),
      (
        "That is",
        request.devices.isEmpty
          ? "no further camera that is there now" : request.devices.map(\.rawValue).joined(separator: ", ")
      ),
      ("It has", text(of: (request.role, request.cameras, request.grants))),
      ("Approved", request.approved.text),
      ("From", request.peer == "unix" ? "Unix socket" : request.peer),
      ("Since", Moment.text(request.wanted.asked * 1_000_000_000)), ("Number", "\(request.number)"),
    ].filter {
      ($0.0 != "That is" || !request.wanted.cameras.isEmpty || !request.devices.isEmpty)
        && ($0.0 != "Approved" || !request.approved.isEmpty)
        && ($0.0 != "Fingerprint" || !request.fingerprint.isEmpty)
    })
}

extension JSON {
  fileprivate init(_ request: PendingAccess) {
    self = [
      "client": .string(request.client), "fingerprint": JSON(fingerprint: request.fingerprint),
      "number": JSON(request.number),
      "role": .string(request.role.rawValue), "cameras": .array(request.cameras.map(JSON.string)),
      "grants": JSON(request.grants), "approved": JSON(request.approved),
      "wanted": JSON(request.wanted), "devices": .array(request.devices.map { .string($0.rawValue) }),
      "peer": .string(request.peer),
    ]
  }
}
