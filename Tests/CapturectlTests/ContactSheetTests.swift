import CaptureClient
import Testing

@testable import capturectl

@Suite struct ContactSheetTests {
  @Test func aSheetHasAsManyRowsAsAJPEGHasRoomFor() throws {
    #expect([1, 2, 3, 40].map { ContactSheet.most(columns: $0) } == [348, 696, 1000, 1000])
    let most = ContactSheet.most(columns: 1)
    #expect(try ContactSheet(pictures: most, columns: 1).jpeg().count > 0)
    #expect(throws: CaptureError.self) { try ContactSheet(pictures: most + 1, columns: 1).jpeg() }
  }
}
