public import CaptureModel
internal import CaptureWire

/// Whether a node lets this program do something. `AVAuthorizationStatus`.
public enum AuthorizationStatus: String, Hashable, Sendable {
  /// It may ask (``RemoteNode/requestAccess(to:role:media:)``), or has asked and nobody has decided.
  case notDetermined
  /// It may not, and cannot ask: the node's configuration decides its rights, or it wants the role admin.
  case restricted
  /// Its request was denied less than an hour ago.
  case denied
  /// It may.
  case authorized
}

/// What a node lets this program do.
public struct Authorization: Hashable, Sendable {
  /// Whether it may do what was asked about.
  public var status: AuthorizationStatus
  /// Why, for a person.
  public var reason: String
  /// What the node calls this program; empty: it is no client.
  public var client: String
  /// `nil`: it may do nothing.
  public var role: AccessRole?
  /// Patterns of the identities of the cameras that it sees; empty: every camera.
  public var cameras: [String]
  /// What it may; ``role`` and ``cameras`` are the most of it. Empty: nothing, or the node is older than grants.
  public var grants: [AccessGrant]
  /// What it has asked for and nobody has decided.
  public var wanted: WantedAccess?
  /// When its request was denied, in seconds of UTC since 1970; `nil`: none was, or that was more than an hour ago.
  public var denied: Int64?
  /// How long it has to wait before it may ask again.
  public var untilNextRequest: Duration
}

/// What a client has asked for.
public struct WantedAccess: Hashable, Sendable {
  /// `nil`: the one that it has.
  public var role: AccessRole?
  /// Patterns of the identities of cameras besides those that it sees.
  public var cameras: [String]
  /// Empty: those that it has.
  public var media: Set<AccessMedium>
  /// When, in seconds of UTC since 1970.
  public var asked: Int64
}

extension RemoteNode {
  /// Whether this program may do what `role` may, with a camera; without one with those that it sees. `AVCaptureDevice.authorizationStatus(for:)`.
  ///
  /// `camera`: as ``camera(_:)`` takes it, or a pattern of identities such as "usb-*". The answer is the same for a camera that the program does not see
  /// and for one that does not exist. `medium`: `nil`: video for a camera, otherwise any medium. Throws `invalidArgument` for a text that
  /// is neither a camera nor a pattern.
  public func authorizationStatus(
    for camera: String = "", role: AccessRole = .view, medium: AccessMedium? = nil
  ) async throws(CaptureError) -> AuthorizationStatus {
    try await authorization(for: camera, role: role, medium: medium).status
  }

  /// Whether this program may do what `role` may with a camera that it has.
  public func authorizationStatus(
    for camera: Camera, role: AccessRole = .view, medium: AccessMedium? = nil
  ) async throws(CaptureError) -> AuthorizationStatus {
    try await authorizationStatus(for: camera.name, role: role, medium: medium)
  }

  /// Whether this program may do what `role` may, with the reason, and what this program has asked for.
  public func authorization(
    for camera: String = "", role: AccessRole = .view, medium: AccessMedium? = nil
  ) async throws(CaptureError) -> Authorization {
    let answer = try await capturing { () async throws(RPCError) in
      try await AccessClient(connection).status(
        AccessStatusRequest(
          device: camera, role: Role(role), medium: medium.map { Medium($0) } ?? .unspecified),
        options: callOptions)
    }
    return Authorization(answer)
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
            device: camera, role: Role(role), medium: medium.map { Medium($0) } ?? .unspecified),
          options: CallOptions())
      }, read: { Authorization($0) })
  }

  /// Asks the node's operator for cameras, the role control, media, or all of these, and waits until that is decided. `AVCaptureDevice.requestAccess(for:)`.
  ///
  /// `cameras`: patterns of identities, besides those that this program sees. `role`: `nil`: the one that it has. `media`: empty: those that it has. What it has already is authorized at once. A
  /// program that is cancelled waits no longer, and its request stays; see ``withdrawAccessRequest()``. Another request takes the place of this one. Returns
  /// `notDetermined` where the request has ended without a decision: after a day, withdrawn, replaced, or with the node's process.
  ///
  /// Throws `permissionDenied` where it cannot ask, and for an hour after a denial; `resourceExhausted` while too many clients have asked.
  @discardableResult
  public func requestAccess(
    to cameras: [String] = [], role: AccessRole? = nil, media: Set<AccessMedium> = []
  ) async throws(CaptureError) -> AuthorizationStatus {
    let asked = try await beginAccessRequest(to: cameras, role: role, media: media)
    guard let wanted = asked.wanted else { return asked.status }
    for try await change in authorizationChanges() {
      let now = change.value
      guard now.wanted != wanted else { continue }
      // Another grant of the client may authorize what is asked about below: that alone does not say that this request was approved.
      if now.denied != nil { return .denied }
      if !now.grants.isEmpty, now.grants == asked.grants { return .notDetermined }
      let media = media.isEmpty ? Set(asked.grants.flatMap(\.media)) : media
      return try await authorizationStatus(of: cameras, role: role ?? .view, media: media)
    }
    return .notDetermined
  }

  /// Asks as ``requestAccess(to:role:media:)`` does, and waits for nothing.
  public func beginAccessRequest(
    to cameras: [String] = [], role: AccessRole? = nil, media: Set<AccessMedium> = []
  ) async throws(CaptureError) -> Authorization {
    let answer = try await capturing { () async throws(RPCError) in
      try await AccessClient(connection).request(
        AccessRequest(
          cameras: cameras, role: role.map { Role($0) } ?? .unspecified,
          media: AccessMedium.allCases.filter(media.contains).map { Medium($0) }),
        options: callOptions)
    }
    return Authorization(answer)
  }

  /// Takes this program's request back.
  public func withdrawAccessRequest() async throws(CaptureError) {
    _ = try await capturing { () async throws(RPCError) in
      try await AccessClient(connection).request(AccessRequest(withdraw: true), options: callOptions)
    }
  }

  /// The first status of several patterns and media that is not authorized.
  private func authorizationStatus(
    of cameras: [String], role: AccessRole, media: Set<AccessMedium>
  ) async throws(CaptureError) -> AuthorizationStatus {
    // An older node knows no media.
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

extension Authorization {
  fileprivate init(_ answer: AccessStatusResponse) {
    status =
      switch answer.authorization {
      case .authorized: .authorized
      case .denied: .denied
      case .notDetermined: .notDetermined
      // An older node says nothing, and cannot be asked.
      default: .restricted
      }
    (reason, client, cameras) = (answer.reason, answer.client, answer.cameras)
    role = AccessRole(answer.role)
    grants = answer.grants.compactMap { AccessGrant($0) }
    wanted = answer.wanted.map { WantedAccess($0) }
    denied = answer.deniedS == 0 ? nil : Int64(answer.deniedS)
    untilNextRequest = .seconds(Int64(answer.askAgainSeconds))
  }
}

extension WantedAccess {
  init(_ wanted: CaptureWire.WantedAccess) {
    self.init(
      role: AccessRole(wanted.role), cameras: wanted.cameras,
      media: Set(wanted.media.compactMap { AccessMedium($0) }), asked: Int64(wanted.askedS))
  }
}
