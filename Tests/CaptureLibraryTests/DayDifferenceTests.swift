import Testing

@testable import CaptureLibrary

@Suite struct DayDifferenceTests {
  private let id = AssetID(created: 0)

  private func difference(_ files: [String: Int64], _ entries: [String: Int64], spared: Set<AssetID>)
    -> DayDifference
  {
    DayDifference(files: files, entries: entries, spared: spared) { files[$0] != nil }
  }

  @Test func anEntryStaysWhereTheDiskDoesNotTellOfItsFile() {
    let entries: [String: Int64] = [id.file(0, .jpeg): 7, id.file(1, .dng): 9]
    #expect(difference([id.file(1, .dng): 9], entries, spared: [id]).gone.isEmpty)
    #expect(difference([id.file(1, .dng): 9], entries, spared: []).gone == [id])
  }

  @Test func aFileIsNotSetAsideWhereTheDiskDoesNotTellOfTheFirstOne() {
    let found = difference([id.file(1, .dng): 9], [:], spared: [id])
    #expect(found.broken.isEmpty && found.found.isEmpty)
    #expect(difference([id.file(1, .dng): 9], [:], spared: []).broken == [id.file(1, .dng)])
  }
}
