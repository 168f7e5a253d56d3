import CSQLite

/// A prepared statement. While it gives its rows, its columns can be read.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let database: OpaquePointer

  init(_ text: String, of database: OpaquePointer) throws(SQLiteError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw SQLiteError(code, of: database) }
    (self.handle, self.database) = (handle, database)
  }

  deinit { sqlite3_finalize(handle) }

  func run(_ values: [SQLiteValue], _ row: (SQLiteStatement) -> Void) throws(SQLiteError) {
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() {
      let code = bind(value, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw SQLiteError(code, of: database) }
    }
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: row(self)
      case SQLITE_DONE: return
      case let code: throw SQLiteError(code, of: database)
      }
    }
  }

  private func bind(_ value: SQLiteValue, at place: Int32) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(handle, place)
    case .integer(let number): sqlite3_bind_int64(handle, place, number)
    case .text(let text): sqlite3_bind_text(handle, place, text, -1, Self.copies)
    case .blob(let bytes):
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, place, 0)
        : bytes.withUnsafeBytes {
          sqlite3_bind_blob(handle, place, $0.baseAddress, Int32($0.count), Self.copies)
        }
    }
  }

  /// SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the value.
  private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  // MARK: Columns of the row, from 0

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }
  func blob(_ column: Int32) -> [UInt8] {
    guard let base = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
