import CaptureModel

extension LibraryIndex {
  /// The days that have assets: "20261125".
  func days() throws(CaptureError) -> [String] {
    try withDatabase { database throws(SQLiteError) in
      var days: [String] = []
      // The query steps from one day to the next, so that it does not read every name.
      try database.run(
        """
        WITH RECURSIVE d(day) AS (
          SELECT substr(min(id), 1, 8) FROM assets
          UNION ALL SELECT (SELECT substr(min(id), 1, 8) FROM assets WHERE id >= day || '~') FROM d WHERE day IS NOT NULL)
        SELECT day FROM d WHERE day IS NOT NULL
        """
      ) { days.append($0.text(0)) }
      return days
    }
  }

  /// The files of a day's assets as the index has them, and their bytes.
  func files(ofDay day: String) throws(CaptureError) -> [String: Int64] {
    try withDatabase { database throws(SQLiteError) in
      var files: [String: Int64] = [:]
      try database.run(
        """
        SELECT id, place, type, resources.bytes FROM assets JOIN resources USING (asset) WHERE id >= ? AND id < ?
        """, [.text(day), .text(day + "~")]
      ) {
        guard let id = AssetID($0.text(0)), let type = ResourceType(rawValue: $0.text(2)) else { return }
        files[id.file(Int($0.integer(1)), type)] = $0.integer(3)
      }
      return files
    }
  }

  /// The names of files of a day whose assets were deleted, and that may still be there.
  func filesToRemove(ofDay day: String) throws(CaptureError) -> Set<String> {
    let folder = AssetID.folder(ofDay: day).joined(separator: "/") + "/"
    return try withDatabase { database throws(SQLiteError) in
      var names: Set<String> = []
      try database.run(
        "SELECT path FROM doomed WHERE path >= ? AND path < ?", [.text(folder), .text(folder + "~")]
      ) { _ = names.insert(String($0.text(0).dropFirst(folder.count))) }
      return names
    }
  }

  /// Adds assets that were found without an entry, and removes entries whose files are gone. Returns what was added and removed.
  func reconcile(
    adding found: [StoredAsset], removing gone: [AssetID]
  ) throws(CaptureError) -> (added: Totals, removed: Totals) {
    try withDatabase { database throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        var (added, removed) = (Totals(), Totals())
        for var asset in found where try !has(asset.id) {
          asset.revision = try nextRevision()
          asset.addedRevision = asset.revision
          try write(asset, thumbnail: nil)
          added.assets += 1
          added.bytes += asset.bytes
        }
        for id in gone {
          var known: (owner: String, bytes: Int64)?
          try database.run("SELECT added_by, bytes FROM assets WHERE id = ?", [.text(id.text)]) {
            known = (owner: $0.text(0), bytes: $0.integer(1))
          }
          guard let known else { continue }
          try remove(id, addedBy: known.owner)
          removed.assets += 1
          removed.bytes += known.bytes
        }
        return (added, removed)
      }
    }
  }

  private func has(_ id: AssetID) throws(SQLiteError) -> Bool {
    var has = false
    try database.run("SELECT 1 FROM assets WHERE id = ?", [.text(id.text)]) { _ in has = true }
    return has
  }

  /// The next `count` assets behind a name that have a resource without a known checksum.
  func unread(after id: AssetID?, count: Int) throws(CaptureError) -> [StoredAsset] {
    try withDatabase { _ throws(SQLiteError) in
      try assets(
        "WHERE id > ? AND asset IN (SELECT asset FROM resources WHERE sha256 IS NULL) ORDER BY id LIMIT ?",
        [.text(id?.text ?? ""), .integer(Int64(count))])
    }
  }

  /// Notes what reading an asset's files has shown: their checksums by place, and the picture's size and thumbnail.
  func complete(
    _ id: AssetID, checksums: [Int: [UInt8]], size: FrameSize?, thumbnail: PictureThumbnail?
  ) throws(CaptureError) {
    try withDatabase { database throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        var row: Int64?
        try database.run("SELECT asset FROM assets WHERE id = ?", [.text(id.text)]) { row = $0.integer(0) }
        guard let row else { return }
        for (place, sum) in checksums {
          try database.run(
            "UPDATE resources SET sha256 = ? WHERE asset = ? AND place = ?",
            [.blob(sum), .integer(row), .integer(Int64(place))])
        }
        if let size {
          try database.run(
            "UPDATE assets SET width = ?, height = ? WHERE asset = ?",
            [.integer(Int64(size.width)), .integer(Int64(size.height)), .integer(row)])
        }
        if let thumbnail { try write(thumbnail, of: row) }
        try touch(id)
      }
    }
  }
}
