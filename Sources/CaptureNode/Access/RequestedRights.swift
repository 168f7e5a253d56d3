import CaptureAccess
import CaptureModel
package import CaptureWire

extension NewPairingRequest {
  /// The rights that the paired client will have.
  func asked() throws(CaptureError) -> [AccessGrant] {
    guard !grants.isEmpty else {
      let role = try role == .unspecified ? AccessRole.control : role.model("role")
      return [AccessGrant(role, cameras: try CameraScope(requested: cameras, of: role))]
    }
    guard role == .unspecified, cameras.isEmpty else {
      throw CaptureError(
        .invalidArgument, "grants take the place of a role and cameras: leave out those, or the grants",
        .init(.fieldsExclusive, field: "grants"))
    }
    var all: [AccessGrant] = []
    for (index, grant) in grants.enumerated() { all = all.adding([try grant.model("grants[\(index)]")]) }
    try all.requireRoom(field: "grants")
    return all
  }
}

extension NewPairingResponse {
  /// Throws where the request has grants, but the node is of a version that does not know grants: such a node would pair a client that controls
  /// everything.
  package func requireGrants(of request: NewPairingRequest) throws(RPCError) {
    guard grants.isEmpty, !request.grants.isEmpty else { return }
    throw RPCError(
      .failedPrecondition,
      "the running node is older and does not know grants: its client would control every camera and all kept pictures. So no line was printed. "
        + "Restart the node ('sudo systemctl restart capture-node'), and pair again; or leave out --grant",
      .init(.valueNotPossible, field: "grants"))
  }
}
