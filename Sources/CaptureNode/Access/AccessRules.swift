import CaptureModel
import CaptureWire

/// The right that each call needs. Only admins may call a method that is not listed here.
enum AccessRules {
  enum Rule: Sendable {
    /// Every connection, also one without an identity.
    case anybody
    case role(AccessRole)
    /// A role that depends on what the request asks for.
    case request(@Sendable (any WireMessage) -> AccessRole)
  }

  static let rules: [String: Rule] = Dictionary(
    uniqueKeysWithValues: [
      (anybody, .anybody), (viewing, .role(.view)), (controlling, .role(.control)),
      (administering, .role(.admin)),
    ].flatMap { (methods: [MethodDescriptor], rule: Rule) in methods.map { ($0.name, rule) } } + [
      (
        PhotosMethods.capture.name,
        .request { ($0 as? CapturePhotoRequest)?.changes == true ? .control : .view }
      )
    ])

  private static let anybody = [AccessMethods.pair]

  private static let viewing =
    [
      DevicesMethods.list, DevicesMethods.watch, DevicesMethods.formats, DevicesMethods.controls,
      DevicesMethods.getControls, DevicesMethods.inputs, LeasesMethods.list, NodeMethods.info,
      NodeMethods.status,
      SessionsMethods.list, SessionsMethods.get, SessionsMethods.presets, SessionsMethods.events,
      SettingsMethods.describe, SettingsMethods.get, SettingsMethods.awaitChange, SettingsMethods.watch,
      SettingsMethods.convertWhiteBalance, SettingsMethods.listProfiles, VideoMethods.subscribe,
      VideoMethods.convertPoints, LibraryMethods.status, LibraryMethods.authorization, LibraryMethods.list,
      LibraryMethods.get, LibraryMethods.thumbnails, LibraryMethods.fetch, LibraryMethods.watch,
      JobsMethods.list,
      JobsMethods.watch, AccessMethods.status, AccessMethods.rotate, AccessMethods.watch,
      AccessMethods.request,
    ] + TestMethods.all

  private static let controlling = [
    DevicesMethods.setControls, DevicesMethods.selectInput, LeasesMethods.acquire, LeasesMethods.renew,
    LeasesMethods.release,
    SessionsMethods.configure, SessionsMethods.start, SessionsMethods.stop, SessionsMethods.close,
    SettingsMethods.set, SettingsMethods.reset, SettingsMethods.calibrate, SettingsMethods.saveProfile,
    SettingsMethods.loadProfile, SettingsMethods.deleteProfile, LibraryMethods.add, LibraryMethods.label,
    LibraryMethods.delete, JobsMethods.start, JobsMethods.control,
  ]

  private static let administering = [
    AccessMethods.newPairing, AccessMethods.clients, AccessMethods.revoke, AccessMethods.listen,
    AccessMethods.reload, AccessMethods.newIdentity, AccessMethods.pending, AccessMethods.decide,
  ]

  /// Whether the audit records calls of a method: it changes something, takes pictures, or reads pictures that are kept.
  static func isAudited(_ method: String) -> Bool {
    switch rules[method] {
    case .role(.view): auditedViewing.contains(method)
    case .anybody, .role, .request, nil: true
    }
  }

  private static let auditedViewing: Set<String> = Set(
    [
      VideoMethods.subscribe, LibraryMethods.fetch, LibraryMethods.thumbnails, AccessMethods.rotate,
      AccessMethods.request,
    ].map(\.name))

  /// The role that a call needs; `nil`: none.
  static func role(for method: MethodDescriptor, _ request: (any WireMessage)?) -> AccessRole? {
    switch rules[method.name] {
    case .anybody: nil
    case .role(let role): role
    case .request(let role): request.map(role) ?? .admin
    // A method without a rule is closed to all but admins.
    case nil: .admin
    }
  }

  /// The medium whose grants a call needs; `nil`: it is about the node itself.
  static func medium(of method: MethodDescriptor) -> AccessMedium? {
    if ofTheLibrary.contains(method.name) { return .library }
    return aboutTheNode.contains(method.name) ? nil : .video
  }

  private static let ofTheLibrary = Set(LibraryMethods.all.map(\.name))
  private static let aboutTheNode = Set((AccessMethods.all + NodeMethods.all + TestMethods.all).map(\.name))

  /// Returns the caller with the role and the cameras that it has for this call. Throws where it may not make the call at all.
  static func permit(
    _ method: MethodDescriptor, _ request: (any WireMessage)?, for caller: Caller
  ) throws(RPCError) -> Caller {
    guard let needed = role(for: method, request) else { return caller }
    guard caller.isKnown else {
      throw RPCError(.unauthenticated, explain(unknown: caller, method), .init(.notIdentified))
    }
    let medium = medium(of: method)
    if let caller = caller.withCameras(for: needed, in: medium) { return caller }
    let who = caller.title
    let refusal =
      caller.role(in: medium).map {
        "\(who) may \($0.rawValue), and \(method.name) here needs \(needed.rawValue)"
      }
      ?? "\(who) has no role for \(medium == .library ? "the node's library" : "the node's cameras"), and \(method.name) needs \(needed.rawValue) here"
    throw RPCError(.permissionDenied, refusal + caller.advice(toHave: needed), .init(.notPermitted))
  }

  /// Why a caller without a role may not make a call, and what to do.
  private static func explain(unknown caller: Caller, _ method: MethodDescriptor) -> String {
    // The socket's mode lets everybody open it, but the kernel says who they are.
    if case .user = caller.kind {
      return
        "\(caller.name) is not in the group of the node's Unix socket, and \(method.name) is not for everybody. Members of that group may use the "
        + "cameras, root and the node's own user are admins: use sudo"
    }
    return
      "this connection has not said who it is, and \(method.name) is not for everybody. Pair first: 'sudo capture-node pair' on the "
      + "node's machine prints a line, 'capturectl pair' on this one takes it"
  }
}

extension CapturePhotoRequest {
  /// Whether the request switches a light on, sets something for a while, or keeps something on the node. A request without a flash mode switches no
  /// light on: the endpoint leaves the flash off for callers who may only view.
  fileprivate var changes: Bool {
    guard let settings else { return false }
    return settings.flash != .unspecified && settings.flash != .off || settings.store != .unspecified
      || !settings.bracket.isEmpty || settings.fullSize == .switch || settings.fullSize == .big
  }
}
