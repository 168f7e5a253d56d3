import Testing

@testable import CaptureTransport

@Suite struct LoopLoadsTests {
  @Test func aFewShareTheFirstLoop() {
    var loads = LoopLoads(loops: 2)
    #expect((0..<LoopLoads.crowd).allSatisfy { _ in loads.addConnection() == 0 })
    #expect(loads.addConnection() == 1)
  }

  @Test func aCrowdIsSpreadEvenly() {
    var loads = LoopLoads(loops: 2)
    let places = (0..<200).map { _ in loads.addConnection() }
    #expect(places.count { $0 == 0 } == 100)
  }

  @Test func whoIsGoneMakesRoom() {
    var loads = LoopLoads(loops: 2)
    for _ in 0..<200 { _ = loads.addConnection() }
    for _ in 0..<40 { loads.removeConnection(of: 0) }
    #expect(loads.addConnection() == 0)
  }

  @Test func aSingleLoopTakesAll() {
    var loads = LoopLoads(loops: 1)
    #expect((0..<500).allSatisfy { _ in loads.addConnection() == 0 })
  }
}
