import CaptureWire

/// A service whose calls may still run while their client is revoked. What such a call has made is ended when the call ends.
struct RevocableService: ServiceHandler {
  private let service: any ServiceHandler
  private let makers: Set<String>
  private let access: NodeAccess?

  /// `makers`: the methods that make something which outlives the connection.
  init(_ service: any ServiceHandler, of makers: [MethodDescriptor], _ access: NodeAccess?) {
    (self.service, self.makers, self.access) = (service, Set(makers.map(\.name)), access)
  }

  var methods: [MethodDescriptor] { service.methods }

  func metadata(of method: MethodDescriptor) -> MetadataUse { service.metadata(of: method) }

  nonisolated(nonsending) func handle(
    _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
    responses: any RawResponseWriter
  ) async throws {
    let result: Result<Void, any Error>
    do {
      result = .success(
        try await service.handle(method, context: context, requests: requests, responses: responses))
    } catch {
      // A call that failed may still have made something: the connection of a revoked client is cut first, so the answer of its call fails.
      result = .failure(error)
    }
    await endBelongings(of: context, method)
    try result.get()
  }

  private func endBelongings(of context: CallContext, _ method: MethodDescriptor) async {
    guard let access, let client = context.clientName, makers.contains(method.name), !access.knows(client)
    else { return }
    let isOfJobs = method.name == JobsMethods.start.name
    await access.endBelongings(of: [client], jobs: isOfJobs ? .stopUnkept : .leave)
  }
}
