import CaptureModel
import CaptureSystem
import CaptureWire

extension RPCError {
  /// The error for a node to which there is no connection. Its text names the address.
  static func unreachable(
    _ address: SocketAddress, _ text: String, _ code: StatusCode = .unavailable
  ) -> RPCError {
    RPCError(code, text, .init(.nodeUnreachable, asked: .text("\(address)")))
  }
}
