import CaptureModel

/// Decides which calls a caller may make. Generated code asks it for every call, after the request is decoded and before the service gets it.
///
/// The transport's `AccessGuard` refines this protocol: it also decides about connections, and gives them their TLS. The two are not one protocol:
/// generated code needs this one, and the wire knows neither sockets nor TLS.
public protocol CallGuard: Sendable {
  /// Returns the caller, with its rights for this call. Throws `unauthenticated` or `permissionDenied`. `request`: `nil` for a method whose requests
  /// are a stream.
  func permit(_ request: (any WireMessage)?, of context: CallContext) throws(RPCError) -> Caller
}

extension CallContext {
  /// The context that the call's service gets. Throws where the caller may not make this call.
  package func permitted(_ request: some WireMessage) throws(RPCError) -> CallContext {
    try permitted(any: request)
  }

  /// The context that the service gets of a call whose requests are a stream. Throws where the caller may not make this call.
  func permitted() throws(RPCError) -> CallContext { try permitted(any: nil) }

  private func permitted(any request: (any WireMessage)?) throws(RPCError) -> CallContext {
    guard let callGuard, caller.role != .admin else { return self }
    var context = self
    context.caller = try callGuard.permit(request, of: self)
    return context
  }
}
