import CSQLite
import CaptureModel

/// A connection to a SQLite file. One thread at a time uses it; its statements are prepared once.
final class SQLiteDatabase {
  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]

  init(path: String) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(code, of: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    // A call waits up to 10 s for another connection: a checkpoint makes others wait for a moment.
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs statements without values, separated by semicolons.
  func execute(_ text: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }

  /// Runs a statement with its values, and hands each row to `row`.
  func run(
    _ text: String, _ values: [SQLiteValue] = [],
    _ row: (SQLiteStatement) -> Void = { _ in }
  ) throws(SQLiteError) {
    let statement: SQLiteStatement
    if let known = statements[text] {
      statement = known
    } else {
      statement = try SQLiteStatement(text, of: handle)
      // All statements are dropped when there are too many: one with a list of values has another text for each length of the list.
      if statements.count >= NodeLimit.libraryStatements.usual { statements.removeAll() }
      statements[text] = statement
    }
    try statement.run(values, row)
  }

  /// How many statements are kept prepared.
  var preparedStatements: Int { statements.count }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Runs `body` in a transaction, which is undone where it throws.
  func transaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try execute("BEGIN IMMEDIATE")
    return try end(body)
  }

  /// Runs `body`, whose statements all read the same state of the file, whatever another connection commits meanwhile. In a transaction they read its
  /// state.
  func snapshot<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    guard sqlite3_get_autocommit(handle) != 0 else { return try body() }
    try execute("BEGIN")
    return try end(body)
  }

  /// Runs `body`, and ends the transaction that was begun.
  private func end<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    do throws(SQLiteError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }
}

/// A value of a statement.
enum SQLiteValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}
