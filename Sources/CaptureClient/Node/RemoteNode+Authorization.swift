public import CaptureModel
internal import CaptureWire

extension RemoteNode {
  /// Whether this program may do what `role` may (`AVCaptureDevice.authorizationStatus(for:)`): with the named camera, or, where none is named, with
  /// the cameras that the program sees.
  ///
  /// `camera`: as ``camera(_:)`` takes it, or a pattern of identities such as "usb-*". The answer is the same for a camera that the program does not
  /// see and for one that does not exist. `medium`: `nil`: video for a camera, otherwise any medium. Throws `invalidArgument` for a text that
  /// is neither a camera nor a pattern.
  public func authorizationStatus(
    for camera: String = "", role: AccessRole = .view, medium: AccessMedium? = nil
  ) async throws(CaptureError) -> CaptureModel.AuthorizationStatus {
    try await authorization(for: camera, role: role, medium: medium).status
  }

  /// Whether this program may do what `role` may with this camera.
  /// Throws `unavailable` where the node is not reached.
  public func authorizationStatus(
    for camera: Camera, role: AccessRole = .view, medium: AccessMedium? = nil
  ) async throws(CaptureError) -> CaptureModel.AuthorizationStatus {
    try await authorizationStatus(for: camera.name, role: role, medium: medium)
  }

  /// Whether this program may do what `role` may, with the reason, and what this program has asked for.
  /// Throws `unavailable` where the node is not reached.
  public func authorization(
    for camera: String = "", role: AccessRole = .view, medium: AccessMedium? = nil
  ) async throws(CaptureError) -> Authorization {
    let answer = try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(connection).status(
        AccessStatusRequest(
          device: camera, role: Role(role), medium: Medium(medium)),
        options: callOptions)
    }
    return answer.model
  }

  /// Reports at once and after every change what ``authorization(for:role:medium:)`` returns.
  public func authorizationChanges(
    for camera: String = "", role: AccessRole = .view, medium: AccessMedium? = nil
  ) -> ResumingEvents<Authorization> {
    ResumingEvents(
      connection,
      open: { connection throws(RPCError) in
        try await AccessClient(connection).watch(
          AccessStatusRequest(
            device: camera, role: Role(role), medium: Medium(medium)),
          options: CallOptions())
      }, read: { $0.model })
  }

  /// Asks the node's operator for cameras, the role control, media, or all of these, and waits until that is decided
  /// (`AVCaptureDevice.requestAccess(for:)`).
  ///
  /// `cameras`: patterns of identities of further cameras, beside those that this program sees. `role`: `nil`: the program's present role. `media`:
  /// empty: its present media. Access that the program has already is authorized at once. A cancelled task waits no longer, and its request stays;
  /// see ``withdrawAccessRequest()``. A later request of this program replaces this one. Returns `notDetermined` where the request has ended without
  /// a decision: it was withdrawn or replaced, a day has passed, or the node's process has ended.
  ///
  /// Throws `permissionDenied` where this program cannot ask, and for an hour after a denial; `resourceExhausted` while too many clients have asked.
  @discardableResult
  public func requestAccess(
    to cameras: [String] = [], role: AccessRole? = nil, media: Set<AccessMedium> = []
  ) async throws(CaptureError) -> CaptureModel.AuthorizationStatus {
    let asked = try await beginAccessRequest(to: cameras, role: role, media: media)
    guard let wanted = asked.wanted else { return asked.status }
    for try await change in authorizationChanges() {
      let now = change.value
      guard now.wanted != wanted else { continue }
      if now.denied != nil { return .denied }
      // The grants are as before, so nobody has approved this request. The status below cannot show that, since it may come from another grant.
      if !now.grants.isEmpty, now.grants == asked.grants { return .notDetermined }
      let media = media.isEmpty ? Set(asked.grants.flatMap(\.media)) : media
      return try await authorizationStatus(of: cameras, role: role ?? .view, media: media)
    }
    return .notDetermined
  }

  /// Asks as ``requestAccess(to:role:media:)`` does, but does not wait for the decision. Throws the same errors.
  public func beginAccessRequest(
    to cameras: [String] = [], role: AccessRole? = nil, media: Set<AccessMedium> = []
  ) async throws(CaptureError) -> Authorization {
    let answer = try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(connection).request(
        AccessRequest(
          cameras: cameras, role: Role(role), media: [Medium](media)),
        options: callOptions)
    }
    return answer.model
  }

  /// Takes this program's request back.
  /// Throws `unavailable` where the node is not reached; without a request it does nothing.
  public func withdrawAccessRequest() async throws(CaptureError) {
    _ = try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(connection).request(AccessRequest(withdraw: true), options: callOptions)
    }
  }

  /// The first status, over the patterns and media, that is not `authorized`; `authorized` where all are.
  private func authorizationStatus(
    of cameras: [String], role: AccessRole, media: Set<AccessMedium>
  ) async throws(CaptureError) -> CaptureModel.AuthorizationStatus {
    // An older node, whose grants name no media, is asked without a medium.
    let media: [AccessMedium?] = media.isEmpty ? [nil] : AccessMedium.allCases.filter(media.contains)
    for medium in media {
      for camera in cameras.isEmpty ? [""] : cameras {
        let status = try await authorizationStatus(for: camera, role: role, medium: medium)
        guard status == .authorized else { return status }
      }
    }
    return .authorized
  }
}
