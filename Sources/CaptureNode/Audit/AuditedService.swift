import CaptureModel
import CaptureWire

/// A service whose calls are recorded when their outcome is known. A call that streams answers is also recorded as begun, once its camera is known.
struct AuditedService: ServiceHandler {
  private let service: any ServiceHandler
  private let audit: NodeAudit
  /// The methods of which every call is recorded. Of the other methods, only refused calls are recorded.
  private let audited: Set<String>

  init(_ service: any ServiceHandler, _ audit: NodeAudit) {
    (self.service, self.audit) = (service, audit)
    audited = Set(
      service.methods.map(\.name).filter { audit.extent == .all || AccessRules.isAudited($0) })
  }

  var methods: [MethodDescriptor] { service.methods }

  func metadata(of method: MethodDescriptor) -> MetadataUse { service.metadata(of: method) }

  nonisolated(nonsending) func handle(
    _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
    responses: any RawResponseWriter
  ) async throws {
    let isAudited = audited.contains(method.name)
    var context = context
    if isAudited { context.cameras = calledCameras(of: context) }
    do {
      try await service.handle(method, context: context, requests: requests, responses: responses)
    } catch {
      let code = RPCError(any: error).code
      if isAudited || code == .permissionDenied || code == .unauthenticated { note(context, code) }
      throw error
    }
    if isAudited { note(context, .ok) }
  }

  private func calledCameras(of context: CallContext) -> CalledCameras {
    guard context.method.serverStreams else { return CalledCameras() }
    return CalledCameras { [audit] camera in
      audit.note(AuditedCall(context, [camera], outcome: AuditedCall.begun))
    }
  }

  private func note(_ context: CallContext, _ code: StatusCode) {
    audit.note(AuditedCall(context, context.cameras?.all ?? [], outcome: code.description))
  }
}
