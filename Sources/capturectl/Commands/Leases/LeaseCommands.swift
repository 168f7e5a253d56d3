import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

@Sendable func lockCamera(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let lease: CameraLease
  if let token = try arguments.onlyLease() {
    lease = try await context.node.renew(
      token, of: context.camera.name,
      for: arguments.isGiven(Options.leaseDuration) ? arguments[Options.leaseDuration] : nil,
      outlivesConnection: true)
    try await require(lease, of: context.camera, context)
  } else {
    lease = try await context.camera.acquireLease(
      for: arguments[Options.leaseDuration]!,
      holder: arguments[Options.leaseHolder] ?? userAndHost(),
      patience: arguments[Options.leasePatience] ?? .zero, outlivesConnection: true)
  }
  try context.print(JSON(lease), text: "\(lease.token?.rawValue ?? "")\n")
}

@Sendable func unlockCamera(_ context: CommandContext) async throws {
  let named = context.arguments[Options.leased]
  if context.arguments[Options.leaseForce] { return try await freeCamera(named, context) }
  if let token = named.flatMap(LeaseToken.init(parsing:)) {
    try await context.node.release(token)
    return try printReleased(token, context)
  }
  guard let token = try context.arguments.onlyLease() else {
    throw Misuse(
      "the token is missing: 'unlock TOKEN', --lease TOKEN or $CAPTURE_LEASE; of another's lease: 'unlock CAMERA --force'"
    )
  }
  try await context.node.release(token, of: named ?? "")
  try printReleased(token, context)
}

extension Arguments {
  /// The lease that --lease names, for a command that is about one; `nil`: none.
  fileprivate func onlyLease() throws(Misuse) -> LeaseToken? {
    let leases = all(Options.lease)
    guard leases.count < 2 else {
      throw Misuse("one lease is renewed or given back at a time, and --lease names \(leases.count)")
    }
    return leases.first
  }
}

private func printReleased(_ token: LeaseToken, _ context: CommandContext) throws {
  try context.print(["released": token.rawValue], text: "")
}

/// Ends a camera's lease, whoever has it.
private func freeCamera(_ camera: String?, _ context: CommandContext) async throws {
  guard let camera, LeaseToken(parsing: camera) == nil else {
    throw Misuse("--force needs a camera: it ends that camera's lease without its token")
  }
  let lease = try await context.node.camera(camera).endLease(
    by: context.arguments[Options.leaseHolder] ?? userAndHost())
  try context.print(
    ["freed": lease],
    text:
      "camera '\(lease.camera.printable)' is free: \(lease.holder.printable) had it for another \(remaining(lease))\n"
  )
}

@Sendable func listLeases(_ context: CommandContext) async throws {
  let leases = try await context.node.leases()
  let table = TextTable("CAMERA", .flexible("HOLDER"), .number("ENDS IN"), of: leases) { lease in
    [lease.camera, lease.holder, remaining(lease)]
  }
  try context.print(
    ["leases": leases], text: leases.isEmpty ? "No camera is leased.\n" : table.text())
}

private func remaining(_ lease: CameraLease) -> String {
  durationText(milliseconds: UInt64(max(0, lease.remaining / .milliseconds(1))))
}

/// "anna@studio": the holder of a lease, where no name was given.
private func userAndHost() -> String {
  let user = getenv("USER").map { String(cString: $0) } ?? "uid \(getuid())"
  var name = [CChar](repeating: 0, count: 256)
  guard gethostname(&name, name.count - 1) == 0 else { return user }
  let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return String("\(user)@\(host)".prefix(100))
}

extension CameraLease: JSONValue {
  var json: JSON {
    [
      "token": token?.rawValue, "camera": camera, "holder": holder,
      "remaining_seconds": JSON.number(remaining / .seconds(1), decimals: 3),
      "outlives_connection": outlivesConnection,
    ]
  }
}

/// Throws where the lease belongs to another camera than the named one. A node that knows no camera in the request has renewed it by then.
private func require(_ lease: CameraLease, of camera: Camera, _ context: CommandContext) async throws {
  let named = try await context.node.cameras().find(camera.name)?.info?.id.rawValue ?? camera.name
  guard named != lease.camera else { return }
  throw Failure("the lease is of camera '\(lease.camera.printable)', not of '\(named.printable)'")
}
