import CaptureModel
public import CaptureWire

/// Says what a client may do with the library (`PHPhotoLibrary.authorizationStatus(for:)`).
///
/// Nothing else decides this, once access control has let the call through. It is a protocol so that tests can decide otherwise; a node uses
/// ``LibraryRoles``.
public protocol LibraryPolicy: Sendable {
  func permission(to use: LibraryUse, for context: CallContext) -> LibraryAccess
}

/// What a client wants to do with the library.
public enum LibraryUse: String, CaseIterable, Sendable {
  case add
  /// List, look at, download and watch.
  case read
  /// Delete and label.
  case delete
}

/// `PHAuthorizationStatus`.
public enum LibraryAccess: Hashable, Sendable {
  case authorized
  /// Only what this client has added.
  case limited
  case denied
}

/// Administrators may do everything. Other callers with a role may read everything; with the role control they may also add assets, and label and
/// delete the assets that they have added.
public struct LibraryRoles: LibraryPolicy {
  public init() {}

  public func permission(to use: LibraryUse, for context: CallContext) -> LibraryAccess {
    guard context.caller.role != .admin else { return .authorized }
    return switch (use, context.caller.role(in: .library)) {
    case (_, nil): .denied
    case (.read, _): .authorized
    case (.add, .control): .authorized
    case (.delete, .control): .limited
    default: .denied
    }
  }
}

extension CallContext {
  /// The client's name in access control; `nil`: a user of the node's machine.
  var clientName: String? { caller.kind == .client ? caller.name : nil }

  /// The owner of what the caller makes. All connections of a caller have the same: a client's name, or "user 1000", which no client can have. Empty:
  /// nobody knows who the caller is.
  var owner: String {
    switch caller.kind {
    case .client: caller.name
    case .user(let number): "user \(number)"
    case .trusted, .unknown: ""
    }
  }

  /// Whether the caller may end and change what `owner` has made.
  func owns(_ owner: String) -> Bool { caller.role == .admin || owner == self.owner }
}

extension Caller {
  /// The caller's name, for a person.
  var title: String { name.isEmpty ? "a user of this machine" : name }

  /// What a user of this machine does who may not make a call that needs this role, for the end of an error; empty for other callers and roles.
  func advice(toHave role: AccessRole) -> String {
    guard role == .admin, case .user = kind else { return "" }
    return ". On this machine root and the node's own user are admins: use sudo"
  }
}

extension LibraryPolicy {
  /// Returns the owner to whose assets the call is limited; `nil`: the call is not limited. Throws `permissionDenied`.
  func owner(_ use: LibraryUse, _ context: CallContext) throws(CaptureError) -> String? {
    switch permission(to: use, for: context) {
    case .authorized: nil
    case .limited: context.owner
    case .denied:
      throw CaptureError(
        .permissionDenied, "this client may not \(use.rawValue) in the node's library",
        .init(.notAuthorized))
    }
  }
}
