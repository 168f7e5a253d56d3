import CaptureModel
import CaptureWire

extension VideoEndpoint {
  /// Returns the call's context once the caller may see the camera. `waited`: the reason that the first frame brings if the call has waited for an
  /// approval; `nil`: it has not. The call waits if the caller has asked for the camera (`Access/Request`), or for the medium video, and nobody has
  /// decided, whether that camera exists or not.
  func admitted(
    to request: SubscribeRequest, _ context: CallContext, _ responses: ResponseWriter<VideoFrame>
  ) async throws -> (context: CallContext, waited: String?) {
    let device = request.device
    let unknown: CaptureError
    do throws(CaptureError) {
      _ = try engine.seen(by: context).device(device)
      return (context, nil)
    } catch {
      unknown = error
    }
    guard unknown.code == .notFound, let access, let client = context.clientName else { throw unknown }
    // Admits the call with the rights that the caller has now: its request may have been decided since the call began.
    let admitNow = { () throws -> CallContext in
      var now = context
      now.caller = access.current(context.caller)
      now.caller = try access.permit(request, of: now)
      _ = try engine.seen(by: now).device(device)
      return now
    }
    guard access.access(of: client, to: device) == .requested else { return (try admitNow(), nil) }
    var isAnnounced = false
    for await _ in try access.news.signals(of: client) {
      switch access.access(of: client, to: device) {
      case .visible: return (try admitNow(), "the request of \(client) was approved")
      case .requested where isAnnounced: break
      case .requested:
        isAnnounced = true
        try await responses.send(
          VideoFrame(
            discontinuity: .interrupted,
            reason: "\(client) has asked for access to \(device.quoted), and nobody has decided yet",
            awaitsAccess: true))
      case .denied:
        throw CaptureError(
          .permissionDenied, "the request of \(client) for access to \(device.quoted) was denied",
          .init(.notPermitted, field: "device", asked: .text(device)))
      // The request was withdrawn, has ended, or was replaced by another one.
      case .notRequested: return (try admitNow(), nil)
      }
    }
    try Task.checkCancellation()
    throw CaptureError.nodeDraining
  }
}
