/// Wraps a service, so that some of its streaming methods get the tokens of leases.
public struct LeasedStreams: ServiceHandler {
  private let service: any ServiceHandler
  private let leased: Set<String>

  public init(_ service: any ServiceHandler, of methods: [MethodDescriptor]) {
    self.service = service
    leased = Set(methods.map(\.name))
  }

  public var methods: [MethodDescriptor] { service.methods }

  public nonisolated(nonsending) func handle(
    _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
    responses: any RawResponseWriter
  ) async throws {
    try await service.handle(method, context: context, requests: requests, responses: responses)
  }

  public func metadata(of method: MethodDescriptor) -> MetadataUse {
    leased.contains(method.name) ? .leases : service.metadata(of: method)
  }
}
