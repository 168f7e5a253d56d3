import Testing

@testable import CaptureWire

@Suite struct CallTableTests {
  /// It holds what a dictionary would, whatever comes and goes.
  @Test func itHoldsWhatADictionaryWould() {
    var table = CallTable<UInt32>()
    var model: [UInt32: UInt32] = [:]
    var random = SystemRandomNumberGenerator()
    var next: UInt32 = 1
    for _ in 0..<2_000 {
      if Bool.random(using: &random) || model.isEmpty {
        table.insert(next, next)
        model[next] = next
        next += 2
      } else if let id = model.keys.randomElement(using: &random) {
        table[existing: id] += 1
        model[id]! += 1
        if Bool.random(using: &random) {
          #expect(table.remove(id) == model.removeValue(forKey: id))
        }
      }
      #expect(table.count == model.count)
      #expect(table.keys == model.keys.sorted())
    }
    for id in 0..<next { #expect(table[id] == model[id]) }
    #expect(table.remove(0) == nil && !table.contains(next))
  }
}
