import CaptureModel
import CaptureWire

extension VideoEndpoint {
  /// Returns the call's context once its camera is there for the caller, and why that was not at once. A camera that it does not see and has asked for
  /// (`Access/Request`) it waits for, whether there is such a camera or not.
  func admitted(
    to device: String, _ context: CallContext, _ responses: ResponseWriter<VideoFrame>
  ) async throws -> (context: CallContext, waited: String?) {
    let unknown: CaptureError
    do throws(CaptureError) {
      _ = try engine.seen(by: context).device(device)
      return (context, nil)
    } catch {
      unknown = error
    }
    guard unknown.code == .notFound, let access, let client = context.identity,
      access.standing(of: client, to: device) == .waits
    else { throw unknown }
    var isTold = false
    for await _ in try access.news.signals(of: client) {
      switch access.standing(of: client, to: device) {
      case .sees:
        var context = context
        let caller = access.current(context.caller)
        context.caller = caller.making(.view, in: .video) ?? caller
        return (context, "the request of \(client) was approved")
      case .waits where isTold: break
      case .waits:
        isTold = true
        try await responses.send(
          VideoFrame(
            discontinuity: .interrupted,
            reason: "\(client) has asked for access to '\(device)', and nobody has decided yet",
            awaitsAccess: true))
      case .denied:
        throw CaptureError(
          .permissionDenied, "the request of \(client) for access to '\(device)' was denied",
          .init(.notPermitted, field: "device", asked: .text(device)))
      // It was withdrawn, has ended, or is another one.
      case .stranger: throw unknown
      }
    }
    try Task.checkCancellation()
    throw CaptureError.nodeDraining
  }
}
