// Prepares text that others wrote for a line that a person reads: names and values from clients, names of cameras, errors of nodes.

extension Unicode.Scalar {
  /// Whether the character is invisible or changes how others look: control characters (C0, C1), ends of lines and paragraphs, controls of the writing
  /// direction, characters without width, and others that a picture of the text may leave out (Unicode's `Default_Ignorable_Code_Point`).
  package var isHidden: Bool {
    if (0x20..<0x7F).contains(value) { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isDefaultIgnorableCodePoint
    }
  }
}

extension StringProtocol {
  /// The text on one line. Hidden characters are written out: "\n", "\u{1B}", "\u{202E}".
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

  /// The text as ``visible`` shows it. A long text is cut to its beginning, and its length follows: "aaaa… (60000 bytes)".
  package func abridged(to scalars: Int = mostQuoted) -> String {
    guard let beginning = beginning(scalars) else { return visible }
    return "\(beginning.visible)… (\(utf8.count) bytes)"
  }

  /// The text as ``abridged(to:)`` shows it, in quotation marks: "'aaaa…' (60000 bytes)".
  package var quoted: String {
    guard let beginning = beginning(mostQuoted) else { return "'\(visible)'" }
    return "'\(beginning.visible)…' (\(utf8.count) bytes)"
  }

  /// The first characters; `nil`: that is the whole text.
  private func beginning(_ scalars: Int) -> SubSequence? {
    // A short text, which is the rule, needs no counting.
    guard utf8.count > scalars,
      let end = unicodeScalars.index(startIndex, offsetBy: scalars, limitedBy: endIndex), end < endIndex
    else { return nil }
    return self[..<end]
  }
}

/// How many characters (Unicode scalars) of a foreign text are quoted: enough for each valid name, and for a camera's identity.
package let mostQuoted = 128
