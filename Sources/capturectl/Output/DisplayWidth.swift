import CaptureClient

extension String {
  /// How many columns the text takes on a terminal: combining marks none, East Asian wide characters and pictographs two.
  var displayWidth: Int {
    reduce(0) { $0 + $1.displayWidth }
  }

  /// The text filled with spaces, on the right or on the left, to `width` columns.
  func padded(to width: Int, onLeft: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - displayWidth))
    return onLeft ? spaces + self : self + spaces
  }

  /// The text cut to `width` columns. The last of them is "…" where something was left out.
  func truncated(to width: Int) -> String {
    guard displayWidth > width else { return self }
    return prefix(ofWidth: width - 1) + "…"
  }

  /// The text in lines of at most `width` columns. It breaks at spaces, and inside a word only where the word is longer than a line.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
      let own = word.displayWidth
      if !line.isEmpty, used + 1 + own > width {
        lines.append(line)
        (line, used) = (word, own)
      } else {
        used += (line.isEmpty ? 0 : 1) + own
        line += (line.isEmpty ? "" : " ") + word
      }
      while used > width {
        let head = line.prefix(ofWidth: width)
        lines.append(head)
        line.removeFirst(head.count)
        used = line.displayWidth
      }
    }
    return lines + [line]
  }

  private func prefix(ofWidth width: Int) -> String {
    var (result, used) = ("", 0)
    for character in self {
      guard used + character.displayWidth <= width else { break }
      result.append(character)
      used += character.displayWidth
    }
    return result
  }

  /// Foreign text for a line of output: characters that could control the terminal or hide text are written out.
  var printable: String { visible }

  /// The text with each of its lines made ``printable``, where foreign text was inserted as it is.
  var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(
      separator: "\n")
  }
}

extension Character {
  fileprivate var displayWidth: Int {
    unicodeScalars.map(\.displayWidth).max() ?? 0
  }
}

extension Unicode.Scalar {
  /// Blocks of Unicode that terminals show two columns wide (East Asian Width W and F).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
    0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]

  fileprivate var displayWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: 0
    default: Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }
}
