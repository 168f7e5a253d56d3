/// Rows in aligned columns, for a person.
struct TextTable {
  struct Column: ExpressibleByStringLiteral {
    var title: String
    var isNumber = false
    /// Whether the column continues in further lines where the terminal is too narrow. Other columns of words do so where that is not enough; columns
    /// of numbers never do.
    var isFlexible = false

    init(stringLiteral title: String) { self.title = title }

    static func number(_ title: String) -> Self {
      var column = Self(stringLiteral: title)
      column.isNumber = true
      return column
    }

    static func flexible(_ title: String) -> Self {
      var column = Self(stringLiteral: title)
      column.isFlexible = true
      return column
    }
  }

  var columns: [Column]
  var rows: [[String]] = []

  init(_ columns: Column...) { self.columns = columns }

  /// A table with a row for each item.
  init<Item>(_ columns: Column..., of items: some Sequence<Item>, cells: (Item) -> [String]) {
    self.columns = columns
    for item in items { add(cells(item)) }
  }

  mutating func add(_ cells: String...) { add(cells) }

  private mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count)
    rows.append(cells.map(\.printable))
  }

  /// The table's lines, without trailing spaces, each with a line end. They have at most `width` columns; `nil`: any width. Flexible columns get
  /// narrower first, by what they can spare, then the other columns of words. Where even that is not enough, each row becomes a list of its titles
  /// and values.
  func text(width: Int? = Terminal.width) -> String {
    var widths = columns.indices.map { index in
      rows.map { $0[index].displayWidth }.reduce(columns[index].title.displayWidth, max)
    }
    if let width {
      narrow(&widths, to: width, leaving: 8, of: columns.indices.filter { columns[$0].isFlexible })
      narrow(&widths, to: width, leaving: 16, of: columns.indices.filter { !columns[$0].isNumber })
      if total(widths) > width { return records(width: width) }
    }
    return ([columns.map(\.title)] + rows).map { lines($0, widths) }.joined()
  }

  private func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + 2 * (columns.count - 1) }

  /// Makes the columns `some` narrower, but none narrower than its title, or than `least` columns of the terminal.
  private func narrow(_ widths: inout [Int], to width: Int, leaving least: Int, of some: [Int]) {
    var excess = total(widths) - width
    let spares = columns.indices.map { index in
      some.contains(index) ? max(0, widths[index] - max(least, columns[index].title.displayWidth)) : 0
    }
    var spare = spares.reduce(0, +)
    for index in some where excess > 0 && spares[index] > 0 {
      let cut = excess >= spare ? spares[index] : (excess * spares[index] + spare - 1) / spare
      widths[index] -= cut
      excess -= cut
      spare -= spares[index]
    }
  }

  private func records(width: Int) -> String {
    rows.map { row in
      TextList(zip(columns, row).filter { !$0.1.isEmpty }.map { ($0.0.title, $0.1) }).text(width: width)
    }.joined(separator: "\n")
  }

  private func lines(_ cells: [String], _ widths: [Int]) -> String {
    let wrapped = cells.indices.map { cells[$0].wrapped(to: widths[$0]) }
    let height = wrapped.map(\.count).max() ?? 0
    return (0..<height).map { number in
      var line = ""
      for (index, lines) in wrapped.enumerated() {
        let text = number < lines.count ? lines[number] : ""
        line += (index == 0 ? "" : "  ") + text.padded(to: widths[index], onLeft: columns[index].isNumber)
      }
      let end = line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex
      return line[..<end] + "\n"
    }.joined()
  }
}

/// Names and values for a person. An item without a value is left out.
struct TextList: ExpressibleByDictionaryLiteral {
  typealias Item = (name: String, value: String)
  var items: [Item]

  init(_ items: [Item]) { self.items = items }
  init(dictionaryLiteral items: (String, String?)...) {
    self.items = items.compactMap { name, value in value.map { (name, $0) } }
  }

  static func + (list: Self, other: Self) -> Self { Self(list.items + other.items) }

  /// Each item on a line of its own, or on several where the line would be longer than `width` columns; `nil`: any width.
  func text(width: Int? = Terminal.width) -> String {
    let indent = (items.map(\.name.displayWidth).max() ?? 0) + 2
    let least = 20
    return items.map { item in
      let value = item.value.printable
      let lines = width.map { value.wrapped(to: max($0 - indent, least)) } ?? [value]
      let rest = lines.dropFirst().map { "\n" + "".padded(to: indent) + $0 }.joined()
      return item.name.padded(to: indent) + lines[0] + rest + "\n"
    }.joined()
  }
}

/// A text in lines of at most `width` columns.
func paragraph(_ text: String, width: Int? = Terminal.width) -> String {
  (width.map { text.wrapped(to: $0) } ?? [text]).map { "\($0)\n" }.joined()
}
