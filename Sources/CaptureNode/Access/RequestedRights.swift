import CaptureAccess
import CaptureModel
package import CaptureWire

extension NewPairingRequest {
  /// The rights that the paired client will have.
  func asked() throws(RPCError) -> [AccessGrant] {
    guard !grants.isEmpty else {
      let role = try role == .unspecified ? AccessRole.control : role.model("role")
      return [AccessGrant(role, cameras: try CameraScope(cameras, of: role))]
    }
    guard role == .unspecified, cameras.isEmpty else {
      throw RPCError(
        .invalidArgument, "grants take the place of a role and cameras: leave out those, or the grants",
        .init(.fieldsExclusive, field: "grants"))
    }
    var all: [AccessGrant] = []
    for grant in grants { all = all.adding([try grant.model()]) }
    guard all.count <= AccessGrant.most, all.patternCount <= CameraScope.most else {
      throw RPCError(
        .invalidArgument,
        "a client has up to \(AccessGrant.most) grants with \(CameraScope.most) patterns in all, not \(all.count) with \(all.patternCount)",
        .init(
          .valueOutOfRange, field: "grants", asked: .number(Double(all.count)),
          range: .init(1, Double(AccessGrant.most))))
    }
    return all
  }
}

extension NewPairingResponse {
  /// Throws where the request had grants and the node is of a version that does not know them: it would pair a client that controls everything.
  package func requireGrants(of request: NewPairingRequest) throws(RPCError) {
    guard grants.isEmpty, !request.grants.isEmpty else { return }
    throw RPCError(
      .failedPrecondition,
      "the running node is older and does not know grants: its client would control every camera and all kept pictures. So no line was printed. "
        + "Restart the node ('sudo systemctl restart capture-node'), and pair again; or leave out --grant",
      .init(.valueNotPossible, field: "grants"))
  }
}

extension Grant {
  fileprivate func model() throws(RPCError) -> AccessGrant {
    let scope = try CameraScope(cameras, of: nil, field: "grants.cameras")
    let named = try media.models("grants.media")
    let role = try role.model("grants.role")
    guard role != .admin else {
      throw RPCError(
        .invalidArgument,
        "a grant has the role view or control; an admin has every camera and medium, and a role alone",
        .init(.valueNotPossible, field: "grants.role", asked: .text("admin"), possible: ["view", "control"]))
    }
    return AccessGrant(role, cameras: scope, media: named.isEmpty ? Set(AccessMedium.allCases) : named)
  }
}

extension [Medium] {
  /// `field`: the field of the request that has them.
  func models(_ field: String) throws(RPCError) -> Set<AccessMedium> {
    var all: Set<AccessMedium> = []
    for medium in self { all.insert(try medium.model(field)) }
    return all
  }
}

extension Medium {
  func model(_ field: String) throws(RPCError) -> AccessMedium {
    guard let medium = AccessMedium(self) else {
      let names = AccessMedium.allCases.map(\.rawValue)
      throw RPCError(
        .invalidArgument, "no medium \(rawValue); there are: \(names.joined(separator: ", "))",
        .init(.valueNotPossible, field: field, possible: names))
    }
    return medium
  }
}

extension CameraScope {
  /// The cameras that a client may see, from a request's field.
  init(_ cameras: [String], of role: AccessRole?, field: String = "cameras") throws(RPCError) {
    if let wrong = cameras.first(where: { !CameraScope.isPattern($0) }) {
      throw RPCError(
        .invalidArgument, "\(CameraScope.expectation); not \(wrong.quoted)",
        .init(.valueNotPossible, field: field, asked: .text(wrong)))
    }
    guard cameras.count <= CameraScope.most else {
      throw RPCError(
        .invalidArgument, "a client has up to \(CameraScope.most) patterns of cameras, not \(cameras.count)",
        .init(
          .valueOutOfRange, field: field, asked: .number(Double(cameras.count)),
          range: .init(0, Double(CameraScope.most))))
    }
    guard cameras.isEmpty || role != .admin else {
      throw RPCError(
        .invalidArgument, "an admin has every camera: leave out the patterns, or give another role",
        .init(.fieldsExclusive, field: field, asked: .text(cameras[0])))
    }
    self.init(cameras)
  }
}

extension Role {
  func model(_ field: String) throws(RPCError) -> AccessRole {
    guard let role = AccessRole(self) else {
      throw RPCError(
        .invalidArgument,
        "no role \(rawValue); there are: \(AccessRole.allCases.map(\.rawValue).joined(separator: ", "))",
        .init(.valueNotPossible, field: field, possible: AccessRole.allCases.map(\.rawValue)))
    }
    return role
  }
}
