/// Answers a unary call on its connection's loop, where it arrives, without a task. `nil`: the answer has to be waited for, and the
/// service's handler is run. Must not block; a thrown error is the call's status.
public typealias PromptAnswer = @Sendable (RawMessage, CallContext) throws -> RawMessage?

/// A service some of whose unary methods answer from memory: their calls cost a fraction of one that is a task.
///
/// What may wait for a device, a file or an actor is no such method: every client of the loop would wait with it.
public struct PromptService: ServiceHandler {
  private let service: any ServiceHandler
  private var answers: [String: PromptAnswer] = [:]
  private var streamsWithLeases: Set<String> = []

  public init(_ service: any ServiceHandler) { self.service = service }

  /// The same service, with `answer` tried first for calls of `method`.
  public func answering<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, with answer: @escaping @Sendable (Request, CallContext) throws -> Response?
  ) -> PromptService {
    precondition(method.kind == .unary)
    var service = self
    service.answers[method.name] = { raw, context in
      try answer(Request(request: raw, of: method), context)?.raw()
    }
    return service
  }

  /// The same service, with the leases' tokens for calls of `method`, which is a stream.
  public func usingLeases(in method: MethodDescriptor) -> PromptService {
    var service = self
    service.streamsWithLeases.insert(method.name)
    return service
  }

  public var methods: [MethodDescriptor] { service.methods }

  public nonisolated(nonsending) func handle(
    _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
    responses: any RawResponseWriter
  ) async throws {
    try await service.handle(method, context: context, requests: requests, responses: responses)
  }

  public func promptAnswer(to method: MethodDescriptor) -> PromptAnswer? { answers[method.name] }

  public func metadata(of method: MethodDescriptor) -> MetadataUse {
    streamsWithLeases.contains(method.name) ? .leases : service.metadata(of: method)
  }
}
