/// An ``OwnedDescriptor`` of several owners, closed when the last lets go of it.
///
/// For a Dispatch source's handlers: its descriptor has to stay open until the source's cancellation has come through.
package final class SharedDescriptor: Sendable {
  private let owned: OwnedDescriptor

  package init(_ owned: consuming OwnedDescriptor) { self.owned = owned }

  /// Valid as long as this object lives.
  package var raw: Int32 { owned.raw }
}
