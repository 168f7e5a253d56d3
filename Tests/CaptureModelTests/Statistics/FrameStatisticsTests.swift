import CaptureModel
import Testing

struct FrameStatisticsTests {
  static func zone(_ value: Double, usable: Double = 1) -> Zone {
    Zone(
      luma: value, luminance: value, color: LinearColor(red: value, green: value / 2, blue: value / 4),
      usable: usable, black: 0, white: 1 - usable, contrast: value)
  }

  static func statistics(_ value: (_ column: Int, _ row: Int) -> Zone) -> FrameStatistics {
    let grid = ZoneGrid.standard
    return FrameStatistics(
      sequence: 7, timestamp: FrameTimestamp(nanoseconds: 1, clock: .monotonic, source: .endOfFrame),
      grid: grid, zones: (0..<grid.count).map { value($0 % grid.columns, $0 / grid.columns) })
  }

  @Test func zonesAreFoundByColumnAndRow() {
    let statistics = Self.statistics { Self.zone(Double($0) + Double($1) / 100) }
    #expect(statistics[3, 5].luma == 3.05)
    #expect(statistics.grid.center(column: 0, row: 0) == (try! NormalizedPoint(x: 1 / 32, y: 1 / 24)))
  }

  @Test func meanIsTheMeanOfAllZones() {
    let statistics = Self.statistics { column, _ in Self.zone(Double(column)) }
    #expect(abs(statistics.mean.luma - 7.5) < 1e-9)
    #expect(abs(statistics.mean.color.green - 3.75) < 1e-9)
  }

  @Test func colorWeighsByWhatIsUsable() {
    let statistics = Self.statistics { column, _ in
      column < 8 ? Self.zone(0.8, usable: 0) : Self.zone(0.2, usable: 0.5)
    }
    #expect(abs(statistics.mean.color.red - 0.2) < 1e-9)
    #expect(abs(statistics.mean.usable - 0.25) < 1e-9)
    #expect(abs(statistics.mean.luma - 0.5) < 1e-9)
  }

  @Test func pointWeighsWhatIsNear() throws {
    let statistics = Self.statistics { column, row in Self.zone(column < 4 && row < 3 ? 1 : 0) }
    let corner = try NormalizedPoint(x: 0.125, y: 0.125)
    #expect(statistics.mean(around: corner, radius: 0.05).luma > 0.95)
    #expect(statistics.mean(around: try NormalizedPoint(x: 1, y: 1), radius: 0.05).luma < 0.001)
    // Even a radius of nothing weighs the zones around a point alike.
    let between = Self.statistics { column, _ in Self.zone(column < 8 ? 0 : 1) }
    #expect(abs(between.mean(around: .center, radius: 0).luma - 0.5) < 1e-9)
  }

  @Test(arguments: [(-0.01, 0.5), (0.5, 1.01), (.nan, 0.5), (0.5, .infinity)])
  func pointsOutsideAreRefused(x: Double, y: Double) {
    let error = #expect(throws: CaptureError.self) { try NormalizedPoint(x: x, y: y) }
    #expect(error?.code == .invalidArgument)
  }
}
