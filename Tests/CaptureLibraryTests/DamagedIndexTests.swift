import Glibc
import Testing

@testable import CaptureLibrary

@Suite(.timeLimit(.minutes(1))) struct DamagedIndexTests {
  let folder = TestFolder()
  private var path: String { "\(folder.path)/.capture-library/index.sqlite" }

  private func fill(_ count: Int) async throws {
    let library = try OpenLibrary.idle(in: folder)
    for number in 0..<count { try await library.add(at: Int64(number)) }
    library.close()
  }

  /// The number of a table's first page, and the bytes of a page. All pages are in the file itself then.
  private func firstPage(of table: String) throws -> (number: Int, size: Int) {
    let index = try LibraryIndex(path: path)
    try index.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var (number, size) = (0, 0)
    try index.database.run("SELECT rootpage FROM sqlite_master WHERE name = ?", [.text(table)]) {
      number = Int($0.integer(0))
    }
    try index.database.run("PRAGMA page_size") { size = Int($0.integer(0)) }
    return (number, size)
  }

  @Test func anIndexThatOpensThoughItsEntriesAreDamagedIsMadeAnew() async throws {
    try await fill(3)
    let page = try firstPage(of: "assets")
    let file = fopen(path, "r+")!
    fseek(file, (page.number - 1) * page.size, SEEK_SET)
    fwrite([UInt8](repeating: 0xFF, count: page.size), 1, page.size, file)
    fclose(file)
    let library = try await PhotoLibrary.opened(folder)
    #expect(try await library.reconciled().recovered == 3)
    #expect(try await library.all().count == 3)
    library.close()
  }
}
