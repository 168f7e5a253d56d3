import CaptureWire

/// A service of whose calls nothing stays that is made for a client while that is revoked.
struct RevocableService: ServiceHandler {
  private let service: any ServiceHandler
  private let makers: Set<String>
  private let access: NodeAccess?

  /// `makers`: the methods that make what outlives a connection.
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
      // What it made stays also where its answer came too late: the connection of a client that is revoked is cut first.
      result = .failure(error)
    }
    await endBelongings(of: context, method)
    try result.get()
  }

  private func endBelongings(of context: CallContext, _ method: MethodDescriptor) async {
    guard let access, let client = context.identity, makers.contains(method.name), !access.knows(client)
    else { return }
    let isOfJobs = method.name == JobsMethods.start.name
    await access.endBelongings(of: [client], jobs: isOfJobs ? .stopUnkept : .leave)
  }
}
