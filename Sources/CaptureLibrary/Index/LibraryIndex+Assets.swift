import CaptureModel

extension LibraryIndex {
  /// A place in the list of assets, which is ordered by their time, the latest first.
  struct Place: Hashable, Sendable {
    var created: Int64
    var id: AssetID
  }

  /// Adds an asset, and returns it with its revision.
  func insert(
    _ asset: StoredAsset, thumbnail: PictureThumbnail?
  ) throws(CaptureError) -> StoredAsset {
    try withDatabase { database throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        var asset = asset
        asset.revision = try nextRevision()
        asset.addedRevision = asset.revision
        try write(asset, thumbnail: thumbnail)
        return asset
      }
    }
  }

  /// The caller has begun a transaction.
  func write(_ asset: StoredAsset, thumbnail: PictureThumbnail?) throws(SQLiteError) {
    var row: Int64 = 0
    try database.run(
      """
      INSERT INTO assets (id, media, origin, device, sequence, shot, added_by, created, added, width, height, bytes,
        revision, added_revision, metadata, info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING asset
      """,
      [
        .text(asset.id.text), .integer(Int64(asset.media.rawValue)), .integer(Int64(asset.origin.rawValue)),
        .text(asset.device), .text(asset.sequence), .text(asset.shot), .text(asset.addedBy),
        .integer(asset.created), .integer(asset.added), asset.size.map { .integer(Int64($0.width)) } ?? .null,
        asset.size.map { .integer(Int64($0.height)) } ?? .null, .integer(asset.bytes),
        .integer(Int64(asset.revision)), .integer(Int64(asset.addedRevision)), .blob(asset.metadata),
        .blob(asset.info),
      ]
    ) { row = $0.integer(0) }
    for (place, resource) in asset.resources.enumerated() {
      try database.run(
        "INSERT INTO resources VALUES (?, ?, ?, ?, ?)",
        [
          .integer(row), .integer(Int64(place)), .text(resource.type.rawValue), .integer(resource.bytes),
          resource.sha256.map { .blob($0) } ?? .null,
        ])
    }
    for label in asset.labels {
      try database.run("INSERT OR IGNORE INTO labels VALUES (?, ?)", [.integer(row), .text(label)])
    }
    if let thumbnail { try write(thumbnail, of: row) }
  }

  func write(_ thumbnail: PictureThumbnail, of row: Int64) throws(SQLiteError) {
    try database.run(
      "INSERT OR REPLACE INTO thumbnails VALUES (?, ?, ?, ?)",
      [
        .integer(row), .integer(Int64(thumbnail.size.width)), .integer(Int64(thumbnail.size.height)),
        .blob(thumbnail.jpeg),
      ])
  }

  /// The number of the next change. The caller has begun a transaction.
  func nextRevision() throws(SQLiteError) -> UInt64 {
    var revision: UInt64 = 0
    try database.run("UPDATE library SET revision = revision + 1 RETURNING revision") {
      revision = UInt64($0.integer(0))
    }
    return revision
  }

  /// `nil`: there is none of that name.
  func asset(_ id: AssetID) throws(CaptureError) -> StoredAsset? {
    try withDatabase { _ throws(SQLiteError) in try assets("WHERE id = ?", [.text(id.text)]).first }
  }

  /// The assets after a place, at most `count`.
  func page(_ filter: AssetFilter, after place: Place?, count: Int) throws(CaptureError) -> [StoredAsset] {
    var (conditions, values) = Self.conditions(of: filter)
    if let place {
      conditions.append("(created, id) < (?, ?)")
      values += [.integer(place.created), .text(place.id.text)]
    }
    let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    let (text, all) = (
      "\(condition) ORDER BY created DESC, id DESC LIMIT ?", values + [.integer(Int64(count))]
    )
    return try withDatabase { _ throws(SQLiteError) in try assets(text, all) }
  }

  private static func conditions(of filter: AssetFilter) -> ([String], [SQLiteValue]) {
    var (conditions, values): ([String], [SQLiteValue]) = ([], [])
    func add(_ condition: String, _ value: SQLiteValue?) {
      guard let value else { return }
      conditions.append(condition)
      values.append(value)
    }
    add("device = ?", filter.device.map { .text($0) })
    add("created >= ?", filter.from.map { .integer($0) })
    add("created < ?", filter.until.map { .integer($0) })
    add("media = ?", filter.media.map { .integer(Int64($0.rawValue)) })
    add("sequence <> '' AND sequence = ?", filter.sequence.map { .text($0) })
    for label in filter.labels { add("asset IN (SELECT asset FROM labels WHERE label = ?)", .text(label)) }
    for condition in filter.scope.conditions {
      conditions.append(condition.text)
      values += condition.values
    }
    return (conditions, values)
  }

  /// The assets that `condition` selects, with their resources and labels.
  func assets(_ condition: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [StoredAsset] {
    // An asset that is deleted meanwhile has all its resources, too.
    try database.snapshot { () throws(SQLiteError) in try readAssets(condition, values) }
  }

  private func readAssets(_ condition: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [StoredAsset] {
    var found: [(row: Int64, asset: StoredAsset)] = []
    try database.run(
      """
      SELECT asset, id, media, origin, device, sequence, shot, added_by, created, added, width, height, revision,
        added_revision, metadata, info FROM assets \(condition)
      """, values
    ) { row in
      guard let id = AssetID(row.text(1)) else { return }
      var asset = StoredAsset(
        id: id, media: AssetMedia(rawValue: UInt32(row.integer(2))) ?? .image,
        origin: AssetOrigin(rawValue: UInt32(row.integer(3))) ?? .recovered, resources: [],
        device: row.text(4), sequence: row.text(5), shot: row.text(6), addedBy: row.text(7),
        created: row.integer(8), added: row.integer(9),
        size: row.isNull(10)
          ? nil : FrameSize(width: Int(row.integer(10)), height: Int(row.integer(11))),
        metadata: row.blob(14), info: row.blob(15))
      (asset.revision, asset.addedRevision) = (UInt64(row.integer(12)), UInt64(row.integer(13)))
      found.append((row.integer(0), asset))
    }
    for index in found.indices {
      let row = SQLiteValue.integer(found[index].row)
      try database.run(
        "SELECT type, bytes, sha256 FROM resources WHERE asset = ? ORDER BY place", [row]
      ) {
        found[index].asset.resources.append(
          StoredResource(
            ResourceType(rawValue: $0.text(0)) ?? .jpeg, bytes: $0.integer(1),
            sha256: $0.isNull(2) ? nil : $0.blob(2)))
      }
      try database.run("SELECT label FROM labels WHERE asset = ? ORDER BY label", [row]) {
        found[index].asset.labels.append($0.text(0))
      }
    }
    return found.map(\.asset)
  }

  /// `nil`: there is none.
  func thumbnail(of id: AssetID) throws(CaptureError) -> PictureThumbnail? {
    try withDatabase { database throws(SQLiteError) in
      var thumbnail: PictureThumbnail?
      try database.run(
        "SELECT thumbnails.width, thumbnails.height, jpeg FROM assets JOIN thumbnails USING (asset) WHERE id = ?",
        [.text(id.text)]
      ) {
        thumbnail = PictureThumbnail(
          size: FrameSize(width: Int($0.integer(0)), height: Int($0.integer(1))), jpeg: $0.blob(2))
      }
      return thumbnail
    }
  }
}
