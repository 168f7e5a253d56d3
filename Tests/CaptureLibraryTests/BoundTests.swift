import CaptureModel
import Testing

@testable import CaptureLibrary

/// What grows with a library's use, and how far.
@Suite struct BoundTests {
  let folder = TestFolder()

  private func index() throws -> LibraryIndex { try LibraryIndex(path: "\(folder.path)/index") }

  private func deletions(_ index: LibraryIndex) throws -> (count: Int, oldest: Int) {
    var found = (0, 0)
    try index.database.run("SELECT COUNT(*), MIN(revision) FROM deleted") {
      found = (Int($0.integer(0)), Int($0.integer(1)))
    }
    return found
  }

  /// Makes so many deletions, of which nothing but their number counts.
  private func delete(_ count: Int, in index: LibraryIndex) throws {
    try index.database.transaction { () throws(SQLiteError) in
      for _ in 0..<count { try index.remove(AssetID(created: 1), addedBy: "") }
    }
  }

  /// As many as may be remembered, from revision 1 on.
  private func fill(_ index: LibraryIndex) throws {
    let most = LibraryIndex.mostDeletions
    try index.database.execute(
      """
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(most))
        INSERT INTO deleted SELECT n, 'x', '' FROM numbers;
      UPDATE library SET revision = \(most)
      """)
  }

  @Test func theOldestDeletionsAreForgotten() throws {
    let index = try index()
    try fill(index)
    let (most, step) = (LibraryIndex.mostDeletions, LibraryIndex.deletionsPerForgetting)
    // The first forgets what a former run has left.
    try delete(1, in: index)
    #expect(try deletions(index) == (most, 2))
    #expect(try index.revisions() == (UInt64(most + 1), 1))
    try delete(step - 1, in: index)
    #expect(try deletions(index) == (most + step - 1, 2))
    try delete(1, in: index)
    #expect(try deletions(index) == (most, step + 2))
  }

  /// A library that is full deletes a picture for each that it takes: each deletion's revision is odd then, or each is even.
  @Test func theyAreForgottenWhateverTheirRevisions() throws {
    let index = try index()
    try fill(index)
    let (most, step) = (LibraryIndex.mostDeletions, LibraryIndex.deletionsPerForgetting)
    try index.database.execute("UPDATE library SET revision = revision + (revision + 1) % 2")
    try index.database.transaction { () throws(SQLiteError) in
      for _ in 0...step {
        _ = try index.nextRevision()
        try index.remove(AssetID(created: 1), addedBy: "")
      }
    }
    #expect(try deletions(index).count == most)
  }

  @Test func aWatchFromBeforeIsToldToListAgain() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let asset = try await library.add("1")
    let token = try await library.list(AssetFilter(), after: nil, count: 1).token
    let other = try LibraryIndex(path: "\(folder.path)/.capture-library/index.sqlite")
    try other.database.execute("UPDATE library SET revision = 5")
    try other.database.execute(
      """
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n <= \(LibraryIndex.mostDeletions))
        INSERT INTO deleted SELECT n + 5, 'x', '' FROM numbers;
      UPDATE library SET revision = revision + \(LibraryIndex.mostDeletions + 1)
      """)
    _ = try await library.delete([asset.id])
    var watch = try await library.watch(AssetFilter(), from: token)
    guard case .reset = try await watch.next() else {
      Issue.record("it goes on, though deletions since then are forgotten")
      return
    }
    library.close()
  }

  @Test func anAssetHasNoMoreResourcesThanItMay() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let addition = try await library.beginAdding(NewAsset(.uploaded))
    let bytes = picture()
    for _ in 0..<AssetAddition.mostResources {
      try await addition.begin(.jpeg, bytes: Int64(bytes.count), sha256: nil)
      try await addition.append(bytes)
    }
    let error = await failure { try await addition.begin(.jpeg, bytes: 1, sha256: nil) }
    #expect(error?.code == .resourceExhausted)
    #expect(error?.details == NodeLimit.resourcesPerAsset.exceeded("").about(field: "resource").details)
    #expect(try await addition.finish().resources.count == AssetAddition.mostResources)
    library.close()
  }

  /// A list of labels has a statement of its own for each length.
  @Test func preparedStatementsAreLetGoOf() throws {
    let database = try SQLiteDatabase(path: "\(folder.path)/index")
    for number in 0..<3 * NodeLimit.libraryStatements.usual {
      try database.run("SELECT \(number)")
      #expect(database.preparedStatements <= NodeLimit.libraryStatements.usual)
    }
  }
}
