/// Rows in aligned columns, for a person.
struct TextTable {
  struct Column {
    var title: String
    var isNumber = false
    /// Goes on in further lines where the terminal is too narrow; others never do.
    var isFlexible = false

    init(_ title: String, isNumber: Bool = false, isFlexible: Bool = false) {
      self.title = title
      self.isNumber = isNumber
      self.isFlexible = isFlexible
    }
  }

  var columns: [Column]
  var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  mutating func add(_ cells: String...) {
    precondition(cells.count == columns.count)
    rows.append(cells.map(\.printable))
  }

  /// Lines without trailing spaces, each ended; at most `width` columns where the flexible ones can give way, as wide as it is if `nil`.
  /// They do by what they have to spare: no column is squeezed for the sake of another.
  func text(width: Int?) -> String {
    var widths = columns.indices.map { index in
      rows.map { $0[index].displayWidth }.reduce(columns[index].title.displayWidth, max)
    }
    if let width {
      var excess = widths.reduce(0, +) + 2 * (columns.count - 1) - width
      let spares = columns.indices.map { index in
        columns[index].isFlexible ? max(0, widths[index] - max(8, columns[index].title.displayWidth)) : 0
      }
      var spare = spares.reduce(0, +)
      for index in columns.indices where excess > 0 && spares[index] > 0 {
        let cut = excess >= spare ? spares[index] : (excess * spares[index] + spare - 1) / spare
        widths[index] -= cut
        excess -= cut
        spare -= spares[index]
      }
    }
    return ([columns.map(\.title)] + rows).map { lines($0, widths) }.joined()
  }

  private func lines(_ cells: [String], _ widths: [Int]) -> String {
    let wrapped = cells.indices.map {
      columns[$0].isFlexible ? cells[$0].wrapped(to: widths[$0]) : [cells[$0]]
    }
    let height = wrapped.map(\.count).max() ?? 0
    return (0..<height).map { number in
      var line = ""
      for (index, lines) in wrapped.enumerated() {
        let text = number < lines.count ? lines[number] : ""
        line += (index == 0 ? "" : "  ") + text.padded(to: widths[index], onLeft: columns[index].isNumber)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}

/// Names and what they are, for a person: one a line, or more where it would be longer than `width` columns.
func listText(_ items: [(name: String, value: String)], width: Int? = Terminal.width) -> String {
  let indent = (items.map(\.name.displayWidth).max() ?? 0) + 2
  let least = 20
  return items.map { item in
    let value = item.value.printable
    let lines = width.map { value.wrapped(to: max($0 - indent, least)) } ?? [value]
    let rest = lines.dropFirst().map { "\n" + "".padded(to: indent) + $0 }.joined()
    return item.name.padded(to: indent) + lines[0] + rest + "\n"
  }.joined()
}
