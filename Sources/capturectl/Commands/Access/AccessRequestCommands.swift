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
  let cameras =
    now.cameras.isEmpty ? "every camera" : "the cameras \(now.cameras.joined(separator: ", "))"
  try context.print(
    decision(client, true, now), text: "'\(client)' may \(now.role.rawValue) \(cameras) now.\n")
}

@Sendable func denyAccess(_ context: CommandContext) async throws {
  let client = context.arguments[Options.client]!
  let now = try await context.node.denyAccess(of: client, number: context.requestNumber)
  try context.print(
    decision(client, false, now),
    text: "'\(client)' is told that its request was denied; it may ask again in an hour.\n")
}

private func decision(_ client: String, _ isApproved: Bool, _ now: (role: AccessRole, cameras: [String]))
  -> JSON
{
  [
    "client": .string(client), "approved": .bool(isApproved), "role": .string(now.role.rawValue),
    "cameras": .array(now.cameras.map(JSON.string)),
  ]
}

extension CommandContext {
  fileprivate var requestNumber: UInt64? { arguments[Options.requestNumber].map { UInt64($0) } }
}

private func text(_ request: PendingAccess) -> String {
  listText(
    [
      ("Client", request.client), ("Asks for", request.wanted.text),
      (
        "That is",
        request.devices.isEmpty
          ? "no camera that the node has now" : request.devices.map(\.rawValue).joined(separator: ", ")
      ),
      (
        "It has",
        "the role \(request.role.rawValue); "
          + (request.cameras.isEmpty
            ? "every camera" : "the cameras \(request.cameras.joined(separator: ", "))")
      ),
      ("From", request.peer == "unix" ? "Unix socket" : request.peer),
      ("Since", Moment.text(request.wanted.asked * 1_000_000_000)), ("Number", "\(request.number)"),
    ].filter { $0.0 != "That is" || !request.wanted.cameras.isEmpty })
}

extension JSON {
  fileprivate init(_ request: PendingAccess) {
    self = [
      "client": .string(request.client), "number": JSON(request.number),
      "role": .string(request.role.rawValue), "cameras": .array(request.cameras.map(JSON.string)),
      "wanted": JSON(request.wanted), "devices": .array(request.devices.map { .string($0.rawValue) }),
      "peer": .string(request.peer),
    ]
  }
}
