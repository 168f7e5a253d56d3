import Testing

@testable import CaptureWire

@Suite struct CallTableTests {
  @Test func valuesAreFoundByTheirNumbersInWhateverOrderTheyCame() {
    var table = CallTable<String>()
    for id in [5, 1, 9, 3, 7] as [UInt32] { table.insert(id, "\(id)") }
    #expect(table.keys == [1, 3, 5, 7, 9])
    #expect(table.values == ["1", "3", "5", "7", "9"])
    #expect(table[3] == "3" && table[4] == nil && !table.contains(11))
  }

  @Test func whatIsRemovedIsGone() {
    var table = CallTable<String>()
    for id in [1, 3, 5] as [UInt32] { table.insert(id, "\(id)") }
    #expect(table.remove(3) == "3" && table.remove(3) == nil)
    table[existing: 5] = "five"
    #expect(table.values == ["1", "five"] && table.count == 2)
  }
}
