import CaptureModel
import Synchronization
import Testing

@testable import CaptureLibrary

/// What is read of the index while it is written.
@Suite(.timeLimit(.minutes(1))) struct SnapshotTests {
  let folder = TestFolder()

  private static func asset(_ number: Int) -> StoredAsset {
    let created = Int64(number) * 1_000_000
    return StoredAsset(
      id: AssetID(created: created, chance: UInt32(number)), origin: .captured,
      resources: [StoredResource(.jpeg, bytes: 1, sha256: nil)], labels: ["x"], created: created,
      added: created)
  }

  /// Adds assets from number 1 on. After each another one is deleted. Returns the number of the last.
  private func write(by index: IndexQueue, until isEnough: @Sendable () -> Bool) async throws -> Int {
    var number = 0
    repeat {
      number += 1
      let (added, deleted) = (Self.asset(number), Self.asset(1_000_000 + number))
      try await index.run { index throws(CaptureError) in
        _ = try index.insert(deleted, thumbnail: nil)
        _ = try index.insert(added, thumbnail: nil)
        _ = try index.delete([deleted.id])
      }
    } while !isEnough()
    return number
  }

  private func changes(after revision: UInt64, in index: IndexQueue) async throws -> [LibraryIndex.Change] {
    try await index.run { index throws(CaptureError) in try index.changes(after: revision, count: 256) }
  }

  private func execute(_ text: String, in index: IndexQueue) async throws {
    try await index.run { index throws(CaptureError) in
      try index.withDatabase { database throws(SQLiteError) in try database.execute(text) }
    }
  }

  @Test func changesMissNothingThatIsAddedWhileTheyAreRead() async throws {
    let path = "\(folder.path)/index"
    let writer = IndexQueue(label: "writer", try LibraryIndex(path: path))
    let reader = IndexQueue(label: "reader", try LibraryIndex(path: path))
    try await execute("PRAGMA synchronous = OFF", in: writer)
    _ = try await writer.run { index throws(CaptureError) in
      try index.insert(Self.asset(0), thumbnail: nil)
    }
    // The labels of an asset take this connection long, so that much is written between its statements.
    try await execute(
      """
      CREATE TEMP VIEW labels AS
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
        SELECT asset, label FROM main.labels, (SELECT max(n) FROM numbers)
      """, in: reader)
    let hasRead = Mutex(false)
    let writing = Task { try await write(by: writer, until: { hasRead.withLock { $0 } }) }
    var piece = try await changes(after: 0, in: reader)
    hasRead.withLock { $0 = true }
    let last = try await writing.value
    try await execute("DROP VIEW temp.labels", in: reader)
    var found: Set<AssetID> = []
    while let latest = piece.last {
      for case .added(let asset) in piece {
        #expect(asset.resources.count == 1)
        found.insert(asset.id)
      }
      piece = try await changes(after: latest.revision, in: reader)
    }
    #expect(found.isSuperset(of: (0...last).map { Self.asset($0).id }))
  }
}
