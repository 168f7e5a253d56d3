import CaptureModel

extension RawRequestReader {
  /// Reads the one request of a unary or server-streaming call.
  package nonisolated(nonsending) func only<Message: WireMessage>(
    _ type: Message.Type, of method: MethodDescriptor
  ) async throws(RPCError) -> Message {
    guard let raw = try await next() else { throw RPCError(.invalidArgument, "\(method.name): no request") }
    return try Message(request: raw, of: method.name)
  }
}

extension WireMessage {
  /// Decodes a client's request. Throws `invalidArgument` for bytes that are not such a message, and for a list that is too long.
  init(request raw: RawMessage, of method: String) throws(RPCError) {
    if let list = raw.body.span.withUnsafeBytes({ ListScan.tooLong(in: $0, of: Self.self) }) {
      throw RPCError(
        .invalidArgument,
        "\(method): a list in the request (\(list)) has more than \(ListScan.most) entries (listEntries), or comes in parts",
        NodeLimit.listEntries.details()
      )
    }
    do throws(WireError) {
      try self.init(raw)
    } catch {
      throw RPCError(.invalidArgument, "\(method): \(error)")
    }
  }
}

extension RPCError {
  init(unknownMethod name: String) {
    self.init(.unimplemented, "this node has no method \(name)", .init(.unknownMethod, asked: .text(name)))
  }
}
