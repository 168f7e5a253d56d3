import CaptureClient
import CaptureSystem

/// The commands that are for an admin alone.
enum AdminCommands {
  static let names: Set<String> = [
    "access pending", "access approve", "access deny", "access list", "access revoke",
  ]

  /// Throws `permissionDenied` for one of these commands where this user may not open the node's socket. The advice for other commands, to join the
  /// socket's group, would not help: its members are no admins.
  static func requirePermission(_ command: String, at address: SocketAddress) throws(CaptureError) {
    guard names.contains(command), address.isForbidden else { return }
    throw CaptureError(
      .permissionDenied,
      "no permission to open \(address): only root and the node's own user may do this: run the same command with sudo",
      .init(.notPermitted))
  }
}
