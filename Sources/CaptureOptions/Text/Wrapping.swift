/// Breaks `text` at spaces into lines of at most `width` characters. A word that is longer stands alone.
func wrapped(_ text: String, width: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, line.count + 1 + word.count > width {
      lines.append(line)
      line = ""
    }
    line += line.isEmpty ? String(word) : " \(word)"
  }
  return line.isEmpty ? lines : lines + [line]
}

/// Two columns: labels, and the text of each beside it, or below it where the label is too long.
func twoColumns(_ rows: [(label: String, text: String)], width: Int) -> [String] {
  let longest = rows.map(\.label.count).filter { $0 <= 24 }.max() ?? 24
  let column = longest + 4
  let margin = String(repeating: " ", count: column)
  return rows.flatMap { row -> [String] in
    let text = wrapped(row.text, width: width - column)
    let label = "  \(row.label)"
    guard let first = text.first else { return [label] }
    let rest = text.dropFirst().map { margin + $0 }
    if label.count + 2 > column { return [label, margin + first] + rest }
    return [label + margin.dropFirst(label.count) + first] + rest
  }
}
