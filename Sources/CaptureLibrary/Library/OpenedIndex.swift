import CaptureModel
import CaptureSystem

/// The index of a library as it was opened, to be written.
struct OpenedIndex: Sendable {
  let writer: IndexQueue
  /// The index's identity.
  let id: String
  let totals: LibraryIndex.Totals

  /// Opens the index. A damaged one is set aside, and a new one is made from the files.
  static func open(
    _ root: LibraryRoot, _ report: @Sendable (LibraryNotice) -> Void
  ) throws(CaptureError) -> OpenedIndex {
    do throws(SQLiteError) { return try OpenedIndex(root) } catch {
      guard error.isDamaged else { throw error.error }
      let reason = error.text
      do throws(Errno) { try root.setIndexAside() } catch {
        throw .library("the damaged index cannot be set aside", error)
      }
      report(.indexSetAside(reason))
    }
    do throws(SQLiteError) { return try OpenedIndex(root) } catch { throw error.error }
  }

  private init(_ root: LibraryRoot) throws(SQLiteError) {
    let index = try Self.connection(to: root)
    id = try index.identity()
    // This reads each entry, and so finds damage that opening does not see.
    totals = try index.readTotals()
    writer = IndexQueue(label: "library.index", index)
  }

  /// Makes a connection to the index. On a full disk SQLite has no room for its log, and fails in one way or another: then the reserved space is given
  /// back.
  static func connection(to root: LibraryRoot) throws(SQLiteError) -> LibraryIndex {
    do throws(SQLiteError) { return try LibraryIndex(path: root.indexPath) } catch {
      guard !error.isDamaged, root.giveReserve() else { throw error }
      return try LibraryIndex(path: root.indexPath)
    }
  }
}
