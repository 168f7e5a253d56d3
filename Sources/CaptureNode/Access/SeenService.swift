import CaptureModel
import CaptureWire

/// A service for callers that see only some cameras. Its errors do not reveal the other cameras.
struct SeenService: ServiceHandler {
  private let service: any ServiceHandler
  private let engine: ServedEngine

  init(_ service: any ServiceHandler, _ engine: ServedEngine) {
    (self.service, self.engine) = (service, engine)
  }

  var methods: [MethodDescriptor] { service.methods }

  func metadata(of method: MethodDescriptor) -> MetadataUse { service.metadata(of: method) }

  nonisolated(nonsending) func handle(
    _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
    responses: any RawResponseWriter
  ) async throws {
    do {
      try await service.handle(method, context: context, requests: requests, responses: responses)
    } catch {
      throw await redacted(error, method, context)
    }
  }

  // This is not inlined, since it needs half a kilobyte: `handle` would take that memory for as long as the call waits.
  @inline(never)
  private nonisolated(nonsending) func redacted(
    _ error: any Error, _ method: MethodDescriptor, _ context: CallContext
  ) async -> any Error {
    let medium = AccessRules.medium(of: method) ?? .video
    return await engine.seen(by: context.withCamerasSeen(in: medium)).redacted(error)
  }
}
