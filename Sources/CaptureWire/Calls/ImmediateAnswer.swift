/// Answers a unary call on its connection's loop, where it arrives, without a task. `nil`: the answer takes waiting, and the service's handler has to
/// run. It must not block. An error that it throws is the call's status.
public typealias ImmediateAnswer = @Sendable (RawMessage, CallContext) throws -> RawMessage?

/// A service that answers some of its unary methods from memory. Such a call costs a fraction of a call that takes a task.
///
/// Methods that may wait for a device, a file or an actor must not answer here: every client of the loop would wait too.
public struct ImmediateService: ServiceHandler {
  private let service: any ServiceHandler
  private var answers: [String: ImmediateAnswer] = [:]
  private var streamsWithLeases: Set<String> = []

  public init(_ service: any ServiceHandler) { self.service = service }

  /// The same service, which tries `answer` first for calls of `method`.
  public func answering<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, with answer: @escaping @Sendable (Request, CallContext) throws -> Response?
  ) -> ImmediateService {
    precondition(method.kind == .unary)
    var service = self
    service.answers[method.name] = { raw, context in
      try answer(Request(request: raw, of: method), context)?.raw()
    }
    return service
  }

  /// The same service, which gets leases' tokens with calls of `method`, a streaming method.
  public func usingLeases(in method: MethodDescriptor) -> ImmediateService {
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

  public func promptAnswer(to method: MethodDescriptor) -> ImmediateAnswer? { answers[method.name] }

  public func metadata(of method: MethodDescriptor) -> MetadataUse {
    streamsWithLeases.contains(method.name) ? .leases : service.metadata(of: method)
  }
}
