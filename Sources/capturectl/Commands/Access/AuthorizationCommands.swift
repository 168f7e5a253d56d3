import CaptureClient
import CaptureOptions

/// Shows what this machine may do at the node.
@Sendable func showAuthorization(_ context: CommandContext) async throws {
  let authorization = try await context.node.authorization(
    for: context.arguments[Options.accessCamera] ?? "",
    role: context.arguments[Options.askedRole].flatMap(AccessRole.init(rawValue:)) ?? .view,
    medium: context.arguments[Options.medium].flatMap(AccessMedium.init(rawValue:)))
  let own = context.node.fingerprint
  try context.print(JSON(authorization, own), text: text(authorization, own))
}

/// Asks for cameras, a role or media, or withdraws that request.
@Sendable func requestAccess(_ context: CommandContext) async throws {
  let (node, arguments) = (context.node, context.arguments)
  let role = arguments[Options.wantedRole].flatMap(AccessRole.init(rawValue:))
  let cameras = arguments.all(Options.wantedCameras)
  let media = Set(arguments.all(Options.wantedMedia).compactMap(AccessMedium.init(rawValue:)))
  let asks = role != nil || !cameras.isEmpty || !media.isEmpty
  guard asks != arguments[Options.withdraw] else {
    throw Misuse(
      asks
        ? "a request is either made (--role, --cameras, --medium) or withdrawn (--withdraw)"
        : "name what to ask for: --role control, --cameras PATTERN, --medium MEDIUM, or several of these")
  }
  guard asks else {
    try await node.withdrawAccessRequest()
    let now = try await node.authorization()
    return try context.print(JSON(now, node.fingerprint), text: "This machine asks for nothing.\n")
  }
  let asked = try await node.beginAccessRequest(to: cameras, role: role, media: media)
  guard asked.wanted != nil else {
    return try context.print(JSON(asked, node.fingerprint), text: "This machine has that access already.\n")
  }
  guard arguments[Options.awaitDecision] else {
    return try context.print(
      JSON(asked, node.fingerprint),
      text: "Asked. An administrator of the node decides: 'capturectl access approve \(asked.client)'.\n")
  }
  Terminal.printError(
    "capturectl: waiting for an administrator of the node: 'capturectl access approve \(asked.client)'\n")
  let status = try await node.requestAccess(to: cameras, role: role, media: media)
  guard status == .authorized else { throw await refusal(status, node) }
  let now = try await node.authorization()
  try context.print(JSON(now, node.fingerprint), text: "Approved.\n")
}

/// Why access was not granted.
private func refusal(_ status: AuthorizationStatus, _ node: RemoteNode) async -> any Error {
  guard status == .denied else {
    return CaptureError(
      .failedPrecondition,
      "the request has ended without a decision: it was withdrawn or replaced, it expired after a day, or the node restarted; ask again"
    )
  }
  let rest = (try? await node.authorization())?.untilNextRequest ?? .zero
  return CaptureError(
    .permissionDenied, "the request was denied; this machine may ask again in \(rest.text)")
}

private func text(_ authorization: Authorization, _ fingerprint: String?) -> String {
  let list: TextList = [
    "Status": authorization.status.words, "Reason": authorization.reason,
    "Client": authorization.client.isEmpty ? "-" : authorization.client, "Fingerprint": fingerprint,
    "Role": authorization.role?.rawValue ?? "none",
    "Cameras": authorization.cameras.isEmpty ? "every" : authorization.cameras.joined(separator: ", "),
    "Grants": authorization.grants.areOneRole ? nil : authorization.grants.text,
    "Asked for": authorization.wanted?.text,
    "Denied": authorization.denied.map { _ in "it may ask again in \(authorization.untilNextRequest.text)" },
  ]
  return list.text()
}

extension AuthorizationStatus {
  fileprivate var words: String { self == .notDetermined ? "not determined" : rawValue }
}

extension Duration {
  fileprivate var text: String { durationText(milliseconds: UInt64(max(.zero, self) / .milliseconds(1))) }
}

extension WantedAccess {
  /// "the role control; the cameras usb-*, pci-1; the library", for a person.
  var text: String {
    let names = AccessMedium.allCases.filter(media.contains).map { "the \($0.rawValue)" }
    return
      ([
        role.map { "the role \($0.rawValue)" },
        cameras.isEmpty ? nil : "the cameras \(cameras.joined(separator: ", "))",
      ]
      .compactMap { $0 } + names).joined(separator: "; ")
  }
}

extension JSON {
  /// `fingerprint`: this machine's own; `nil`: it has no credential.
  fileprivate init(_ authorization: Authorization, _ fingerprint: String?) {
    self = [
      "status": authorization.status == .notDetermined ? "not_determined" : authorization.status.rawValue,
      "reason": authorization.reason,
      "client": authorization.client.isEmpty ? String?.none : authorization.client,
      "fingerprint": fingerprint, "role": authorization.role?.rawValue, "cameras": authorization.cameras,
      "grants": authorization.grants, "wanted": authorization.wanted,
      "denied_s": authorization.denied.map { Int($0) },
      "ask_again_s": Int(authorization.untilNextRequest.components.seconds),
    ]
  }

  /// `fingerprint`: empty: there is none, or the node is older and does not report it.
  init(fingerprint: String) { self = fingerprint.isEmpty ? .null : .string(fingerprint) }
}

extension WantedAccess: JSONValue {
  var json: JSON {
    [
      "role": role?.rawValue, "cameras": cameras,
      "media": AccessMedium.allCases.filter(media.contains).map(\.rawValue), "asked_s": Int(asked),
    ]
  }
}
