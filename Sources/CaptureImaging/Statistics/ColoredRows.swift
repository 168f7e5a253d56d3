/// Chooses the rows whose light and colour are measured: every second one of a small picture, some 80 of others. Those are not at even distances, or a
/// scene with a regular pattern would be seen at the same place of it each time.
struct ColoredRows {
  private let spacing: Double
  private let isSmall: Bool
  private var index = 0

  /// How many rows of a large picture are read.
  private static let count = 80
  /// The golden ratio's part spreads the places within the spaces evenly.
  private static let spread = 0.618_033_988_7

  init(of height: Int) {
    spacing = Double(height) / Double(Self.count)
    isSmall = height < 4 * Self.count
  }

  /// Whether row `y` is one. Rows are asked for in order.
  mutating func take(_ y: Int) -> Bool {
    if isSmall { return y % 2 == 1 }
    guard y >= place else { return false }
    while place <= y { index += 1 }
    return true
  }

  /// The next row, or the one after it where that is not read.
  private var place: Int {
    let shift = Double(index) * Self.spread
    return Int((Double(index) + shift - shift.rounded(.down)) * spacing)
  }
}
