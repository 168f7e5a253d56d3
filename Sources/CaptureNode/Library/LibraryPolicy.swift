import CaptureModel
public import CaptureWire

/// Says what a client may do with the library. `PHPhotoLibrary.authorizationStatus(for:)`.
///
/// This is the one place that is asked, once access control has let the call through.
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

/// Users of the node's machine and administrators may do everything. Another client reads all; with the role control it adds, and labels and deletes what it has
/// added.
public struct LibraryRoles: LibraryPolicy {
  public init() {}

  public func permission(to use: LibraryUse, for context: CallContext) -> LibraryAccess {
    guard context.caller.kind == .client, context.caller.role != .admin else { return .authorized }
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
  var identity: String? { caller.kind == .client ? caller.name : nil }

  /// Whoever calls, over all their connections: a client, a user of the node's machine, or those of whom nobody knows who they are.
  var requester: String { caller.kind == .client ? "client \(caller.name)" : caller.name }
}

extension LibraryPolicy {
  /// Returns the name of the client to whose assets the call is limited; `nil`: it is not. Throws `permissionDenied`.
  func owner(_ use: LibraryUse, _ context: CallContext) throws(CaptureError) -> String? {
    switch permission(to: use, for: context) {
    case .authorized: nil
    // Nobody has added anything as nobody.
    case .limited: context.identity ?? "\u{1}"
    case .denied:
      throw CaptureError(
        .permissionDenied, "this client may not \(use.rawValue) in the node's library",
        .init(.notAuthorized))
    }
  }
}
