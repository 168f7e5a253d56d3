import CaptureModel

extension LibraryIndex {
  /// The number of assets, and their bytes.
  struct Totals: Hashable, Sendable {
    var assets = 0
    var bytes: Int64 = 0
  }

  func totals(within scope: AssetScope = .all) throws(CaptureError) -> Totals {
    try withDatabase { _ throws(SQLiteError) in try readTotals(within: scope) }
  }

  /// The same, with SQLite's error.
  func readTotals(within scope: AssetScope = .all) throws(SQLiteError) -> Totals {
    let (condition, values) = Self.condition(scope)
    var totals = Totals()
    try database.run("SELECT count(*), COALESCE(sum(bytes), 0) FROM assets \(condition)", values) {
      totals = Totals(assets: Int($0.integer(0)), bytes: $0.integer(1))
    }
    return totals
  }

  /// The times of the oldest and of the newest asset; `nil`: there is none.
  func span(within scope: AssetScope = .all) throws(CaptureError) -> (oldest: Int64, newest: Int64)? {
    let (condition, values) = Self.condition(scope)
    return try withDatabase { database throws(SQLiteError) in
      var span: (Int64, Int64)?
      try database.run(
        """
        SELECT (SELECT min(created) FROM assets \(condition)), (SELECT max(created) FROM assets \(condition))
        """, values + values
      ) {
        if !$0.isNull(0) { span = ($0.integer(0), $0.integer(1)) }
      }
      return span
    }
  }

  private static func condition(_ scope: AssetScope) -> (String, [SQLiteValue]) {
    let conditions = scope.conditions
    guard !conditions.isEmpty else { return ("", []) }
    return ("WHERE " + conditions.map(\.text).joined(separator: " AND "), conditions.flatMap(\.values))
  }

  /// The condition that an asset does not have a label. It looks at the labels of each asset by themselves: `NOT IN` would first collect all assets that
  /// have the label, however few are asked for.
  private static let hasNotLabel =
    "NOT EXISTS (SELECT 1 FROM labels WHERE labels.asset = assets.asset AND label = ?)"

  /// The oldest assets without the label "keep" that have so many bytes together; `nil`: all of them have fewer.
  func oldest(freeing bytes: Int64) throws(CaptureError) -> [AssetID]? {
    try withDatabase { database throws(SQLiteError) in
      var (found, sum, last): ([AssetID], Int64, Place?) = ([], 0, nil)
      while sum < bytes {
        var piece: [(place: Place, bytes: Int64)] = []
        try database.run(
          """
          SELECT id, created, bytes FROM assets
          WHERE (created, id) > (?, ?) AND \(Self.hasNotLabel)
          ORDER BY created, id LIMIT 64
          """, [.integer(last?.created ?? .min), .text(last?.id.text ?? ""), .text(AssetLabel.keep)]
        ) { row in
          guard let id = AssetID(row.text(0)) else { return }
          piece.append((Place(created: row.integer(1), id: id), row.integer(2)))
        }
        guard !piece.isEmpty else { return nil }
        for (place, size) in piece where sum < bytes {
          found.append(place.id)
          sum += size
          last = place
        }
      }
      return found
    }
  }

  /// The oldest assets that were created before a time (ns UTC) and do not have the label "keep", at most `count`.
  func oldest(_ count: Int, before: Int64) throws(CaptureError) -> [AssetID] {
    try withDatabase { database throws(SQLiteError) in
      var found: [AssetID] = []
      try database.run(
        """
        SELECT id FROM assets WHERE created < ? AND \(Self.hasNotLabel)
        ORDER BY created, id LIMIT ?
        """, [.integer(before), .text(AssetLabel.keep), .integer(Int64(count))]
      ) { row in
        guard let id = AssetID(row.text(0)) else { return }
        found.append(id)
      }
      return found
    }
  }
}
