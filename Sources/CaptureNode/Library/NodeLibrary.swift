public import CaptureLibrary
import CaptureModel
import CaptureWire

/// The library of a node, if it has one, and who may use it.
public struct NodeLibrary: Sendable {
  private let library: PhotoLibrary?
  let policy: any LibraryPolicy

  /// `nil`: the node keeps no pictures.
  public init(_ library: PhotoLibrary?, policy: any LibraryPolicy = LibraryRoles()) {
    (self.library, self.policy) = (library, policy)
  }

  /// Throws `failedPrecondition` where the node keeps no pictures.
  func opened() throws(CaptureError) -> PhotoLibrary {
    guard let library else {
      throw CaptureError(
        .failedPrecondition,
        "this node keeps no pictures; the key 'library' of its configuration names a folder for them",
        .init(.libraryNotConfigured))
    }
    return library
  }

  /// The library, and the assets to which a call is limited.
  func opened(
    to use: LibraryUse, _ context: CallContext
  ) throws(CaptureError) -> (library: PhotoLibrary, scope: AssetScope) {
    var scope = context.assetScope
    let library = try opened()
    scope.owner = try policy.owner(use, context)
    return (library, scope)
  }

  /// The assets that the caller sees. `scope`: those that it may change.
  func seen(_ scope: AssetScope, _ context: CallContext) throws(CaptureError) -> AssetScope {
    var seen = scope
    seen.owner = try policy.owner(.read, context)
    return seen
  }

  /// Ends all watches, since the node ends.
  func endWatches() { library?.endWatches() }

  func close() { library?.close() }
}

extension CallContext {
  /// The assets of the cameras that the caller sees.
  var assetScope: AssetScope { AssetScope(cameras: caller.cameras, client: owner) }
}
