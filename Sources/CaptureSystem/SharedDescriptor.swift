/// An ``OwnedDescriptor`` with several owners. It is closed when the last owner lets go of it.
///
/// Handlers of a Dispatch source use it: the descriptor has to stay open until the source's cancellation has come through.
package final class SharedDescriptor: Sendable {
  private let owned: OwnedDescriptor

  package init(_ owned: consuming OwnedDescriptor) { self.owned = owned }

  /// Valid as long as this object lives.
  package var raw: Int32 { owned.raw }
}
