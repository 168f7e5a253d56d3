import CaptureModel

extension LibraryIndex {
  /// A change of the library, for those that watch it.
  enum Change: Sendable {
    case added(StoredAsset)
    case changed(StoredAsset)
    case deleted(AssetID, device: String, addedBy: String, revision: UInt64)

    var revision: UInt64 {
      switch self {
      case .added(let asset), .changed(let asset): asset.revision
      case .deleted(_, _, _, let revision): revision
      }
    }
  }

  /// How many deletions are remembered for watches that resume later.
  static let mostDeletions = NodeLimit.libraryDeletions.usual
  /// After this many deletions, the oldest ones are forgotten. Finding the oldest takes milliseconds, so it is not done at each deletion.
  static let deletionsPerForgetting = 1_024

  /// Adds and removes labels of assets, all or none. Throws `resourceExhausted` if an asset would have too many labels. An asset whose labels stay
  /// the same keeps its revision.
  func label(
    _ ids: [AssetID], add: [String], remove: [String]
  ) throws(CaptureError) -> [StoredAsset] {
    let (assets, overfull) = try withDatabase { database throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) -> ([StoredAsset], AssetID?) in
        var assets: [StoredAsset] = []
        for id in ids { assets += try self.assets("WHERE id = ?", [.text(id.text)]) }
        let wanted = assets.map { Set($0.labels).subtracting(remove).union(add) }
        if let index = wanted.indices.first(where: { wanted[$0].count > AssetLabel.most }) {
          return ([], assets[index].id)
        }
        for (asset, labels) in zip(assets, wanted) where labels != Set(asset.labels) {
          try set(labels, of: asset)
        }
        var result: [StoredAsset] = []
        for asset in assets { result += try self.assets("WHERE id = ?", [.text(asset.id.text)]) }
        return (result, nil)
      }
    }
    guard let overfull else { return assets }
    throw NodeLimit.labelsPerAsset.exceeded(
      "\(overfull) would have more than \(AssetLabel.most) labels; remove some")
  }

  private func set(_ labels: Set<String>, of asset: StoredAsset) throws(SQLiteError) {
    for label in Set(asset.labels).subtracting(labels) {
      try database.run(
        "DELETE FROM labels WHERE asset = (SELECT asset FROM assets WHERE id = ?) AND label = ?",
        [.text(asset.id.text), .text(label)])
    }
    for label in labels.subtracting(asset.labels) {
      try database.run(
        "INSERT INTO labels SELECT asset, ? FROM assets WHERE id = ?", [.text(label), .text(asset.id.text)])
    }
    try touch(asset.id)
  }

  /// Gives an asset a new revision. The caller has begun a transaction.
  func touch(_ id: AssetID) throws(SQLiteError) {
    let revision = try nextRevision()
    try database.run(
      "UPDATE assets SET revision = ? WHERE id = ?", [.integer(Int64(revision)), .text(id.text)])
  }

  /// Removes assets from the index, and notes their files until ``noteRemoved(_:)``. `sparingKept`: those that have the label "keep" stay. Returns those
  /// that were removed.
  func delete(_ ids: [AssetID], sparingKept: Bool = false) throws(CaptureError) -> [StoredAsset] {
    try withDatabase { database throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        var deleted: [StoredAsset] = []
        for id in ids {
          guard let asset = try assets("WHERE id = ?", [.text(id.text)]).first else { continue }
          if sparingKept, asset.labels.contains(AssetLabel.keep) { continue }
          for (place, resource) in asset.resources.enumerated() {
            try database.run(
              "INSERT OR IGNORE INTO doomed VALUES (?)", [.text(id.path(place, resource.type))])
          }
          try remove(id, addedBy: asset.addedBy)
          deleted.append(asset)
        }
        return deleted
      }
    }
  }

  /// The caller has begun a transaction.
  func remove(_ id: AssetID, addedBy: String) throws(SQLiteError) {
    let revision = Int64(try nextRevision())
    try database.run(
      "INSERT INTO deleted_devices SELECT ?, device FROM assets WHERE id = ?",
      [.integer(revision), .text(id.text)])
    try database.run("DELETE FROM assets WHERE id = ?", [.text(id.text)])
    try database.run(
      "INSERT INTO deleted VALUES (?, ?, ?)", [.integer(revision), .text(id.text), .text(addedBy)])
    deletionsUntilForgetting -= 1
    if deletionsUntilForgetting <= 0 { try forgetOldDeletions() }
  }

  /// The caller has begun a transaction.
  private func forgetOldDeletions() throws(SQLiteError) {
    deletionsUntilForgetting = Self.deletionsPerForgetting
    try database.run(
      "UPDATE library SET forgotten = COALESCE((SELECT revision FROM deleted ORDER BY revision DESC LIMIT 1 OFFSET ?), forgotten)",
      [.integer(Int64(Self.mostDeletions))])
    for table in ["deleted", "deleted_devices"] {
      try database.run("DELETE FROM \(table) WHERE revision <= (SELECT forgotten FROM library)")
    }
  }

  /// The files of deleted assets that may still be there, by their paths below the root.
  func filesToRemove() throws(CaptureError) -> [String] {
    try withDatabase { database throws(SQLiteError) in
      var paths: [String] = []
      try database.run("SELECT path FROM doomed") { paths.append($0.text(0)) }
      return paths
    }
  }

  /// Forgets files of deleted assets that have been removed from the disk.
  func noteRemoved(_ paths: [String]) throws(CaptureError) {
    try withDatabase { database throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        for path in paths { try database.run("DELETE FROM doomed WHERE path = ?", [.text(path)]) }
      }
    }
  }

  /// The number of the latest change, and the number up to which deletions are forgotten.
  func revisions() throws(CaptureError) -> (latest: UInt64, forgotten: UInt64) {
    try withDatabase { database throws(SQLiteError) in
      var revisions: (UInt64, UInt64) = (0, 0)
      try database.run("SELECT revision, forgotten FROM library") {
        revisions = (UInt64($0.integer(0)), UInt64($0.integer(1)))
      }
      return revisions
    }
  }

  /// The changes after a revision, in their order, at most `count`.
  func changes(after revision: UInt64, count: Int) throws(CaptureError) -> [Change] {
    try withDatabase { database throws(SQLiteError) in
      // Both are read of one state: otherwise a deletion that came meanwhile would hide an asset that was added just before it.
      try database.snapshot { () throws(SQLiteError) in
        let values: [SQLiteValue] = [.integer(Int64(revision)), .integer(Int64(count))]
        var changes: [Change] = try assets("WHERE revision > ? ORDER BY revision LIMIT ?", values).map {
          $0.addedRevision > revision ? .added($0) : .changed($0)
        }
        try database.run(
          """
          SELECT id, added_by, revision, COALESCE(device, '') FROM deleted LEFT JOIN deleted_devices USING (revision)
          WHERE revision > ? ORDER BY revision LIMIT ?
          """, values
        ) {
          guard let id = AssetID($0.text(0)) else { return }
          changes.append(
            .deleted(id, device: $0.text(3), addedBy: $0.text(1), revision: UInt64($0.integer(2))))
        }
        changes.sort { $0.revision < $1.revision }
        return Array(changes.prefix(count))
      }
    }
  }
}
