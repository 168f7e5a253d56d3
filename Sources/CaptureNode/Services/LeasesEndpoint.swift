import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureWire

/// `capture.v1.Leases`: the right to change a camera, for a limited time.
struct LeasesEndpoint: LeasesService {
  let engine: ServedEngine

  func acquire(_ request: AcquireLeaseRequest, context: CallContext) async throws -> LeaseInfo {
    let lease = try await engine.seen(by: context).leases.acquire(
      LeaseRequest(
        camera: engine.seen(by: context).device(request.device).id,
        holder: request.holder.isEmpty ? context.holder : request.holder,
        duration: request.durationMs == 0 ? .seconds(30) : .milliseconds(Int64(request.durationMs)),
        patience: .milliseconds(Int64(request.waitMs)),
        connection: request.outlivesConnection ? nil : context.connectionID, owner: context.owner))
    // A client that has gone would never learn the token, so the lease is given back.
    if Task.isCancelled { _ = try? engine.seen(by: context).leases.release(lease.token) }
    return LeaseInfo(CameraLease(lease, showsToken: true))
  }

  func renew(_ request: RenewLeaseRequest, context: CallContext) throws -> LeaseInfo {
    let camera = request.device.isEmpty ? nil : try engine.seen(by: context).device(request.device).id
    let lease = try engine.seen(by: context).leases.renew(
      LeaseToken(rawValue: request.token, of: context.owner), of: camera,
      for: request.durationMs == 0 ? nil : .milliseconds(Int64(request.durationMs)), by: context.connectionID,
      outlivesConnection: request.outlivesConnection)
    context.cameras?.add(lease.camera)
    return LeaseInfo(CameraLease(lease, showsToken: true))
  }

  func release(_ request: ReleaseLeaseRequest, context: CallContext) throws -> ReleaseLeaseResponse {
    let camera = request.device.isEmpty ? nil : try engine.seen(by: context).device(request.device).id
    let (unused, field) = request.force ? (request.token, "token") : (request.holder, "holder")
    guard unused.isEmpty else {
      throw CaptureError(
        .invalidArgument,
        request.force
          ? "a lease is ended by force without a token; leave out the token, or force"
          : "a holder is named for a lease that is ended by force only; leave it out",
        .init(.fieldsExclusive, field: field, asked: .text(unused)))
    }
    guard request.force else {
      let lease = try engine.seen(by: context).leases.release(
        LeaseToken(rawValue: request.token, of: context.owner), of: camera)
      context.cameras?.add(lease.camera)
      return ReleaseLeaseResponse(lease: LeaseInfo(CameraLease(lease)))
    }
    guard let camera else {
      throw CaptureError(
        .invalidArgument,
        "the request names no camera; to end a lease by force it has to name the lease's camera",
        .init(.valueMissing, field: CaptureError.deviceField))
    }
    try requireOwn(camera, context)
    let lease = try engine.seen(by: context).leases.free(
      camera, by: request.holder.isEmpty ? context.holder : request.holder)
    return ReleaseLeaseResponse(lease: LeaseInfo(CameraLease(lease)))
  }

  /// Throws `permissionDenied` for a lease that somebody else has, unless the caller is an admin.
  private func requireOwn(_ camera: CameraID, _ context: CallContext) throws(CaptureError) {
    guard let lease = engine.seen(by: context).visibleLeases.first(where: { $0.camera == camera }),
      !context.owns(lease.owner)
    else { return }
    throw CaptureError(
      .permissionDenied,
      "\(context.caller.title) may \(context.caller.role?.rawValue ?? "do nothing"), and ending another client's lease by force needs admin\(context.caller.advice(toHave: .admin))",
      .init(.notPermitted))
  }

  func list(_ request: ListLeasesRequest, context: CallContext) -> ListLeasesResponse {
    ListLeasesResponse(leases: engine.seen(by: context).visibleLeases.map { LeaseInfo(CameraLease($0)) })
  }
}

extension CameraLease {
  /// `showsToken`: whether the message has the token, which only the holder may see.
  fileprivate init(_ lease: Lease, showsToken: Bool = false) {
    self.init(
      token: showsToken ? lease.token : nil, camera: lease.camera.rawValue, holder: lease.holder,
      remaining: lease.remaining(at: MonotonicClock.now()), outlivesConnection: lease.connection == nil)
  }
}
