import CaptureModel

/// The index of a library's files: a SQLite file. A row is written when its files are durable, and a commit is on the disk before it returns (write-ahead
/// log, synchronous FULL).
///
/// Each connection belongs to an ``IndexQueue``.
final class LibraryIndex {
  let database: SQLiteDatabase
  /// How many assets may be deleted before old deletions are forgotten. It is 0 at first: the first deletion after the index was opened forgets old ones.
  var deletionsUntilForgetting = 0

  /// Opens the file, and makes it where there is none. Throws an error that `isDamaged` for a file that is no index.
  init(path: String) throws(SQLiteError) {
    database = try SQLiteDatabase(path: path)
    try database.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 250"
    )
    try database.execute(Self.schema)
  }

  /// 32 random hexadecimal digits. An index that is made anew has others: its revisions are not those of the former one.
  func identity() throws(SQLiteError) -> String {
    var id = ""
    try database.run("SELECT id FROM identity") { id = $0.text(0) }
    return id
  }

  /// Calls `body` with the database. A failure of SQLite becomes an error of the library.
  func withDatabase<R>(_ body: (SQLiteDatabase) throws(SQLiteError) -> R) throws(CaptureError) -> R {
    do throws(SQLiteError) { return try body(database) } catch { throw error.error }
  }

  private static let schema = """
    CREATE TABLE IF NOT EXISTS library (
      one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL, forgotten INTEGER NOT NULL);
    INSERT OR IGNORE INTO library VALUES (1, 0, 0);
    CREATE TABLE IF NOT EXISTS identity (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL);
    INSERT OR IGNORE INTO identity VALUES (1, lower(hex(randomblob(16))));
    CREATE TABLE IF NOT EXISTS assets (
      asset INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, media INTEGER NOT NULL, origin INTEGER NOT NULL,
      device TEXT NOT NULL, sequence TEXT NOT NULL, shot TEXT NOT NULL, added_by TEXT NOT NULL,
      created INTEGER NOT NULL, added INTEGER NOT NULL, width INTEGER, height INTEGER, bytes INTEGER NOT NULL,
      revision INTEGER NOT NULL, added_revision INTEGER NOT NULL, metadata BLOB NOT NULL, info BLOB NOT NULL);
    CREATE INDEX IF NOT EXISTS assets_created ON assets (created DESC, id DESC);
    CREATE INDEX IF NOT EXISTS assets_device ON assets (device, created DESC, id DESC);
    CREATE INDEX IF NOT EXISTS assets_sequence ON assets (sequence, created DESC, id DESC) WHERE sequence <> '';
    CREATE INDEX IF NOT EXISTS assets_revision ON assets (revision);
    CREATE TABLE IF NOT EXISTS resources (
      asset INTEGER NOT NULL REFERENCES assets ON DELETE CASCADE, place INTEGER NOT NULL, type TEXT NOT NULL,
      bytes INTEGER NOT NULL, sha256 BLOB, PRIMARY KEY (asset, place)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS resources_unread ON resources (asset) WHERE sha256 IS NULL;
    CREATE TABLE IF NOT EXISTS labels (
      asset INTEGER NOT NULL REFERENCES assets ON DELETE CASCADE, label TEXT NOT NULL,
      PRIMARY KEY (asset, label)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS labels_label ON labels (label, asset);
    CREATE TABLE IF NOT EXISTS thumbnails (
      asset INTEGER PRIMARY KEY REFERENCES assets ON DELETE CASCADE, width INTEGER NOT NULL,
      height INTEGER NOT NULL, jpeg BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS deleted (revision INTEGER PRIMARY KEY, id TEXT NOT NULL, added_by TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS deleted_devices (revision INTEGER PRIMARY KEY, device TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS doomed (path TEXT PRIMARY KEY) WITHOUT ROWID;
    PRAGMA user_version = 1
    """
}
