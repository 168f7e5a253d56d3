import CaptureNode
import CaptureSystem
import CaptureTransport
import CaptureWire
import Glibc

/// The node of this machine. The commands talk to it over its Unix socket, where the kernel reports who the caller is.
struct OwnNode {
  /// The socket of a node that was given no address. Makes the socket's folder. `nil`: the node can write to none of the usual folders.
  static func ownSocket() -> SocketAddress? {
    for path in SocketAddress.usualSockets {
      let folder = SmallFile.folder(of: path)
      let isMade = mkdir(folder, 0o755) == 0 || errno == EEXIST
      if isMade, Glibc.access(folder, W_OK) == 0 { return .unix(path: path) }
    }
    return nil
  }

  static func access(at socket: SocketAddress?) async throws -> AccessClient {
    var configuration = ClientConfiguration()
    configuration.agent = "capture-node/\(CameraNode.version)"
    if let socket {
      try requirePermission(socket)
      return AccessClient(try await ClientConnection.connect(to: socket, configuration: configuration))
    }
    var last: (any Error)?
    for path in SocketAddress.usualSockets where Glibc.access(path, F_OK) == 0 {
      do {
        try requirePermission(.unix(path: path))
        return AccessClient(
          try await ClientConnection.connect(to: .unix(path: path), configuration: configuration))
      } catch {
        last = error
      }
    }
    throw last
      ?? RPCError(
        .unavailable,
        "no node of this machine has its socket at \(SocketAddress.usualSockets.joined(separator: " or at ")); is capture-node running? "
          + "--socket unix:PATH names another place")
  }

  /// Throws `permissionDenied` where this process may not open the socket.
  private static func requirePermission(_ socket: SocketAddress) throws {
    guard socket.isForbidden else { return }
    throw RPCError(.permissionDenied, "no permission to open \(socket)", .init(.notPermitted))
  }

  /// The text for an error of one of these commands, which are only for admins. The advice of other errors, to join the socket's group, would not help.
  static func explanation(of error: RPCError) -> String {
    guard error.code == .permissionDenied, error.details?.reason == .notPermitted else { return error.text }
    return "no permission: only root and the node's own user may do this: run the same command with sudo"
  }
}
