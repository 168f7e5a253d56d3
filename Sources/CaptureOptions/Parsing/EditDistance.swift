/// "; did you mean '--output'?" if one of `names` is similar enough to what was typed.
func didYouMean(_ typed: String, among names: [String]) -> String? {
  let allowed = max(1, typed.count / 3)
  let nearest = names.map { (name: $0, distance: editDistance(typed, $0)) }.min { $0.distance < $1.distance }
  guard let nearest, nearest.distance <= allowed else { return nil }
  return "; did you mean '\(nearest.name)'?"
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two words.
func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  var rows = [Array(0...b.count)]
  for i in 0..<a.count {
    var row = [i + 1]
    for j in 0..<b.count {
      var best = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
