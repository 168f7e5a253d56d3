import CaptureModel

/// Decides which calls a caller may make. Generated code asks it for every call, once its request is decoded and before its service has it.
public protocol CallGate: Sendable {
  /// Throws `unauthenticated` or `permissionDenied`. `request`: `nil` for a method whose requests are a stream.
  func permit(_ request: (any WireMessage)?, of context: CallContext) throws(RPCError)
}

extension CallContext {
  /// Throws where the caller may not make this call.
  package func permit(_ request: some WireMessage) throws(RPCError) {
    guard let gate, caller.role != .admin else { return }
    try gate.permit(request, of: self)
  }

  /// The same for a method whose requests are a stream.
  func permit() throws(RPCError) {
    guard let gate, caller.role != .admin else { return }
    try gate.permit(nil, of: self)
  }
}
