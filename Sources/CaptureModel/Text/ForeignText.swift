// What others wrote, as it may stand in a line that a person reads: names and values of clients, names of cameras, errors of nodes.

extension Unicode.Scalar {
  /// It does not show, or changes how others show: control characters (C0, C1), ends of lines and paragraphs, controls of the direction of
  /// writing, characters without width, and what else may be left out of a picture of the text (Unicode's `Default_Ignorable_Code_Point`).
  package var isHidden: Bool {
    if (0x20..<0x7F).contains(value) { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isDefaultIgnorableCodePoint
    }
  }
}

extension StringProtocol {
  /// On one line and as it is: what is hidden in it is written out, "\n", "\u{1B}", "\u{202E}".
  package var visible: String {
    guard unicodeScalars.contains(where: \.isHidden) else { return String(self) }
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isHidden: result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// As ``visible``; of what is long only the beginning, and how long it is: "aaaa… (60000 bytes)".
  package func abridged(to scalars: Int = mostQuoted) -> String {
    guard let beginning = beginning(scalars) else { return visible }
    return "\(beginning.visible)… (\(utf8.count) bytes)"
  }

  /// As ``abridged(to:)``, between quotation marks: "'aaaa…' (60000 bytes)".
  package var quoted: String {
    guard let beginning = beginning(mostQuoted) else { return "'\(visible)'" }
    return "'\(beginning.visible)…' (\(utf8.count) bytes)"
  }

  /// `nil`: that is all of it.
  private func beginning(_ scalars: Int) -> SubSequence? {
    // As a rule it is short, and nothing has to be counted.
    guard utf8.count > scalars,
      let end = unicodeScalars.index(startIndex, offsetBy: scalars, limitedBy: endIndex), end < endIndex
    else { return nil }
    return self[..<end]
  }
}

/// Characters (Unicode scalars) of a foreign text within another: enough for each name that is taken, and for a camera's identity.
package let mostQuoted = 128
