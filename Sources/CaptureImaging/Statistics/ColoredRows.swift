/// Chooses the rows whose light and colour are measured: every second one of a small picture, some 80 of a larger one. Their distances vary: at equal
/// distances, a regular pattern of the scene could be measured at the same place of the pattern each time.
struct ColoredRows {
  private let spacing: Double
  private let isSmall: Bool
  private var index = 0

  /// How many rows of a large picture are read.
  private static let count = 80
  /// The picture is cut into `count` equal parts, and one row is read in each. This number, the golden ratio less 1, spreads the rows' places within
  /// their parts evenly.
  private static let spread = 0.618_033_988_7

  init(of height: Int) {
    spacing = Double(height) / Double(Self.count)
    isSmall = height < 4 * Self.count
  }

  /// Whether row `y` is measured. Rows are asked for in order.
  mutating func take(_ y: Int) -> Bool {
    if isSmall { return y % 2 == 1 }
    guard y >= place else { return false }
    while place <= y { index += 1 }
    return true
  }

  /// The next row to measure. If that row is not asked for, the next one that is asked for is measured instead.
  private var place: Int {
    let shift = Double(index) * Self.spread
    return Int((Double(index) + shift - shift.rounded(.down)) * spacing)
  }
}
