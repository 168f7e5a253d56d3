import FoundationEssentials

/// The texts of the files that make a node use a library.
enum ServiceText {
  /// The first line of each file. The package knows the files by this line, and removes them when it is purged.
  static let author = "Written by: capture-node library init"

  /// The text of the configuration's file.
  static func configuration(_ folder: String) -> String {
    "// \(author)\n{\n  library: { root: \(json5(folder)) },\n}\n"
  }

  /// The text of the unit's drop-in. The dash lets the service start while the folder's disk is away.
  static func dropIn(_ folder: String) -> String {
    "# \(author)\n[Service]\nReadWritePaths=\"-\(unitEscaped(folder))\"\n"
  }

  /// A string with its quotes, as JSON and JSON5 have it.
  static func json5(_ text: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }

  /// A text as it stands between quotes in a unit: systemd.syntax(7), and systemd.unit(5) for the percent sign.
  private static func unitEscaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "\\", "\"": escaped += "\\\(character)"
      case "%": escaped += "%%"
      default: escaped.append(character)
      }
    }
  }
}
