import Testing

@testable import CaptureTransport

@Suite struct LoopLoadsTests {
  @Test func aFewShareTheFirstLoop() {
    var loads = LoopLoads(loops: 2)
    #expect((0..<LoopLoads.crowd).allSatisfy { _ in loads.addConnection(isLocal: false) == 0 })
    #expect(loads.addConnection(isLocal: false) == 1)
  }

  @Test func thisMachinesClientsCountAQuarter() {
    var loads = LoopLoads(loops: 2)
    #expect((0..<4 * LoopLoads.crowd).allSatisfy { _ in loads.addConnection(isLocal: true) == 0 })
    #expect(loads.addConnection(isLocal: false) == 1)
    for _ in 0..<4 { loads.removeConnection(isLocal: true, of: 0) }
    #expect(loads.addConnection(isLocal: false) == 0)
  }

  @Test func aCrowdIsSpreadEvenly() {
    var loads = LoopLoads(loops: 2)
    let places = (0..<200).map { _ in loads.addConnection(isLocal: false) }
    #expect(places.count { $0 == 0 } == 100)
  }

  @Test func whoIsGoneMakesRoom() {
    var loads = LoopLoads(loops: 2)
    for _ in 0..<200 { _ = loads.addConnection(isLocal: false) }
    for _ in 0..<40 { loads.removeConnection(isLocal: false, of: 0) }
    #expect(loads.addConnection(isLocal: false) == 0)
  }

  @Test func aSingleLoopTakesAll() {
    var loads = LoopLoads(loops: 1)
    #expect((0..<500).allSatisfy { _ in loads.addConnection(isLocal: false) == 0 })
  }
}
