package import CaptureModel

extension AccessStatusResponse {
  /// `seconds`: how long the client's request waits before it ends undecided.
  package init(_ authorization: Authorization, for seconds: UInt32) {
    self.init(
      client: authorization.client, role: Role(authorization.role), cameras: authorization.cameras,
      authorization: AuthorizationStatus(authorization.status), reason: authorization.reason,
      wanted: authorization.wanted.map { WantedAccess($0, for: seconds) },
      deniedS: UInt64(clamping: authorization.denied ?? 0),
      askAgainSeconds: UInt32(clamping: authorization.untilNextRequest.components.seconds),
      grants: authorization.grants.map { Grant($0) })
  }

  package var model: Authorization {
    var model = Authorization(authorization.model, reason)
    (model.client, model.role, model.cameras) = (client, role.model, cameras)
    (model.grants, model.wanted) = (grants.compactMap(\.model), wanted?.model)
    model.denied = deniedS == 0 ? nil : Int64(clamping: deniedS)
    model.untilNextRequest = .seconds(Int64(askAgainSeconds))
    return model
  }
}

extension AuthorizationStatus: NumberedOnWire {
  package typealias Model = CaptureModel.AuthorizationStatus

  /// A status that an older node does not send, or that only newer nodes know, counts as restricted: the client cannot ask for access.
  fileprivate var model: Model { known ?? .restricted }
}
