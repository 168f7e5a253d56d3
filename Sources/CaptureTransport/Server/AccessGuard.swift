public import CaptureModel
public import CaptureTLS
public import CaptureWire

/// Decides which callers may connect, and what they may do. The transport asks it; the node implements it, and so do tests of the transport, which
/// have no node.
public protocol AccessGuard: CallGuard {
  /// The TLS context for new connections; `nil`: the node takes none.
  var tls: TLSContext? { get }
  /// Finds who a connection is, from how it came and the credential of its Hello. Throws the reason that ends the connection.
  func identify(_ arrival: Arrival, credential: [UInt8]) throws(RPCError) -> Caller
}
