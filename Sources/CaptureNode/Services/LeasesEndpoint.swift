import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureWire

/// `capture.v1.Leases`: the right to change a camera, for a limited time.
struct LeasesEndpoint: LeasesService {
  let engine: CaptureEngine

  func acquire(_ request: AcquireLeaseRequest, context: CallContext) async throws -> LeaseInfo {
    let lease = try await engine.leases.acquire(
      LeaseRequest(
        camera: engine.device(request.device).id,
        holder: request.holder.isEmpty ? context.holder : request.holder,
        duration: request.durationMs == 0 ? .seconds(30) : .milliseconds(Int64(request.durationMs)),
        patience: .milliseconds(Int64(request.waitMs)),
        connection: request.outlivesConnection ? nil : context.connectionID))
    // The client has gone and would never learn the token.
    if Task.isCancelled { _ = try? engine.leases.release(lease.token) }
    return LeaseInfo(lease, token: lease.token.rawValue)
  }

  func renew(_ request: RenewLeaseRequest, context: CallContext) throws -> LeaseInfo {
    let lease = try engine.leases.renew(
      LeaseToken(rawValue: request.token),
      for: request.durationMs == 0 ? nil : .milliseconds(Int64(request.durationMs)), by: context.connectionID,
      outlivesConnection: request.outlivesConnection)
    return LeaseInfo(lease, token: lease.token.rawValue)
  }

  func release(_ request: ReleaseLeaseRequest, context: CallContext) throws -> ReleaseLeaseResponse {
    let camera = request.device.isEmpty ? nil : try engine.device(request.device).id
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
      let lease = try engine.leases.release(LeaseToken(rawValue: request.token), of: camera)
      return ReleaseLeaseResponse(lease: LeaseInfo(lease, token: ""))
    }
    guard let camera else {
      throw CaptureError(
        .invalidArgument,
        "the request names no camera; to end a lease by force it has to name the lease's camera",
        .init(.valueMissing, field: CaptureError.deviceField))
    }
    let lease = try engine.leases.free(
      camera, by: request.holder.isEmpty ? context.holder : request.holder)
    return ReleaseLeaseResponse(lease: LeaseInfo(lease, token: ""))
  }

  func list(_ request: ListLeasesRequest, context: CallContext) -> ListLeasesResponse {
    ListLeasesResponse(leases: engine.leases.leases.map { LeaseInfo($0, token: "") })
  }
}

extension LeaseInfo {
  fileprivate init(_ lease: Lease, token: String) {
    let remaining = lease.remaining(at: MonotonicClock.now()) / .milliseconds(1)
    self.init(
      token: token, device: lease.camera.rawValue, holder: lease.holder, remainingMs: UInt32(remaining),
      outlivesConnection: lease.connection == nil)
  }
}
