extension RawRequestReader {
  /// The one request of a unary or server-streaming call.
  func only<Message: WireMessage>(
    _ type: Message.Type, of method: MethodDescriptor
  ) async throws(RPCError) -> Message {
    guard let raw = try await next() else { throw RPCError(.invalidArgument, "\(method.name): no request") }
    do throws(WireError) {
      return try Message(raw)
    } catch {
      throw RPCError(.invalidArgument, "\(method.name): \(error)")
    }
  }
}

extension RPCError {
  init(unknownMethod name: String) {
    self.init(.unimplemented, "this node has no method \(name)")
  }
}
