package import CaptureModel

extension Grant {
  package init(_ grant: AccessGrant) {
    self.init(role: Role(grant.role), cameras: grant.cameras.patterns, media: .init(grant.media))
  }

  /// The grant of an answer. `nil`: this version does not know its role, or does not know any of its media.
  package var model: AccessGrant? {
    guard let role = role.model, media.isEmpty || !media.model.isEmpty else { return nil }
    return AccessGrant(role, cameras: CameraScope(cameras), media: media.isEmpty ? .every : media.model)
  }

  /// The grant of a request. `field`: the grant's path in the request. Throws `invalidArgument` for what nobody can be granted, and
  /// `resourceExhausted` for more patterns than a client has.
  package func model(_ field: String) throws(CaptureError) -> AccessGrant {
    let scope = try CameraScope(requested: cameras, of: nil, field: "\(field).cameras")
    let named = try media.model("\(field).media")
    let role = try role.model("\(field).role")
    guard role != .admin else {
      throw CaptureError(
        .invalidArgument,
        "a grant has the role view or control; an admin has every camera and medium already: give the role admin without a grant",
        .init(
          .valueNotPossible, field: "\(field).role", asked: .text("admin"), possible: ["view", "control"]))
    }
    return AccessGrant(role, cameras: scope, media: named.isEmpty ? .every : named)
  }
}

extension Set<AccessMedium> {
  fileprivate static var every: Self { Set(AccessMedium.allCases) }
}

extension CameraScope {
  /// The cameras that a client may see, from a request's field. Throws `invalidArgument` for what is no pattern, and `resourceExhausted` for too
  /// many.
  package init(requested cameras: [String], of role: AccessRole?, field: String = "cameras")
    throws(CaptureError)
  {
    if let wrong = cameras.first(where: { !CameraScope.isPattern($0) }) {
      throw CaptureError(
        .invalidArgument, "\(CameraScope.expectation); not \(wrong.quoted)",
        .init(.valueNotPossible, field: field, asked: .text(wrong)))
    }
    guard cameras.count <= CameraScope.most else {
      throw CameraScope.tooManyPatterns(cameras.count, field: field)
    }
    guard cameras.isEmpty || role != .admin else {
      throw CaptureError(
        .invalidArgument, "an admin has every camera: leave out the patterns, or give another role",
        .init(.fieldsExclusive, field: field, asked: .text(cameras[0])))
    }
    self.init(cameras)
  }
}
