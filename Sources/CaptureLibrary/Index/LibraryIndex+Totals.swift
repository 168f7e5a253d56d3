import CaptureModel

extension LibraryIndex {
  /// The number of assets, and their bytes.
  struct Totals: Hashable, Sendable {
    var assets = 0
    var bytes: Int64 = 0
  }

  func totals(within scope: AssetScope = .all) throws(CaptureError) -> Totals {
    let (condition, values) = Self.condition(scope)
    return try withDatabase { database throws(SQLiteError) in
      var totals = Totals()
      try database.run("SELECT count(*), COALESCE(sum(bytes), 0) FROM assets \(condition)", values) {
        totals = Totals(assets: Int($0.integer(0)), bytes: $0.integer(1))
      }
      return totals
    }
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

  /// The oldest assets that were created before a time and do not have the label "keep".
  func oldest(_ count: Int, before: Int64 = .max) throws(CaptureError) -> [StoredAsset] {
    try withDatabase { _ throws(SQLiteError) in
      try assets(
        """
        WHERE created < ? AND asset NOT IN (SELECT asset FROM labels WHERE label = ?)
        ORDER BY created, id LIMIT ?
        """, [.integer(before), .text(AssetLabel.keep), .integer(Int64(count))])
    }
  }
}
