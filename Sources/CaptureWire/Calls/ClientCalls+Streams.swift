/// A call with many requests and one answer.
public struct ClientStreamCall<Request: WireMessage, Response: WireMessage>: Sendable {
  public let requests: RequestWriter<Request>

  /// Ends the requests, and waits for the answer.
  public func response() async throws(RPCError) -> Response {
    try await requests.finish()
    guard let raw = try await requests.call.next() else {
      throw RPCError(.dataLoss, "the node ended the call in OK without an answer")
    }
    return try Response(answer: raw)
  }
}

/// A call with many requests and many answers.
public struct BidirectionalCall<Request: WireMessage, Response: WireMessage>: Sendable {
  public let requests: RequestWriter<Request>
  public let responses: ResponseStream<Response>
}

/// The functions that generated stubs call, one for each kind of method.
extension CallChannel {
  nonisolated(nonsending) func unary<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, _ request: Request, options: CallOptions
  ) async throws(RPCError) -> Response {
    try Response(answer: await unary(method, request.request(), options: options))
  }

  nonisolated(nonsending) func serverStream<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, _ request: Request, options: CallOptions
  ) async throws(RPCError) -> ResponseStream<Response> {
    ResponseStream(try await open(method, request.request(), last: true, options: options))
  }

  nonisolated(nonsending) func clientStream<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, options: CallOptions
  ) async throws(RPCError) -> ClientStreamCall<Request, Response> {
    ClientStreamCall(requests: RequestWriter(try await open(method, nil, last: false, options: options)))
  }

  nonisolated(nonsending) func bidirectional<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, options: CallOptions
  ) async throws(RPCError) -> BidirectionalCall<Request, Response> {
    let call = try await open(method, nil, last: false, options: options)
    return BidirectionalCall(requests: RequestWriter(call), responses: ResponseStream(call))
  }
}

extension WireMessage {
  /// Decodes a node's answer.
  init(answer raw: RawMessage) throws(RPCError) {
    do throws(WireError) {
      try self.init(raw)
    } catch {
      throw RPCError(.dataLoss, "the node's answer does not parse: \(error)")
    }
  }
}
