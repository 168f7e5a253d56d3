import Testing

@testable import CaptureTransport

@Suite struct LoopSharesTests {
  @Test func aFewShareTheFirstLoop() {
    var shares = LoopShares(loops: 2)
    #expect((0..<LoopShares.crowd).allSatisfy { _ in shares.addConnection() == 0 })
    #expect(shares.addConnection() == 1)
  }

  @Test func aCrowdIsSpreadEvenly() {
    var shares = LoopShares(loops: 2)
    let places = (0..<200).map { _ in shares.addConnection() }
    #expect(places.count { $0 == 0 } == 100)
  }

  @Test func whoIsGoneMakesRoom() {
    var shares = LoopShares(loops: 2)
    for _ in 0..<200 { _ = shares.addConnection() }
    for _ in 0..<40 { shares.removeConnection(of: 0) }
    #expect(shares.addConnection() == 0)
  }

  @Test func aSingleLoopTakesAll() {
    var shares = LoopShares(loops: 1)
    #expect((0..<500).allSatisfy { _ in shares.addConnection() == 0 })
  }
}
