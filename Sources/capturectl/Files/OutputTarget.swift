import Glibc

/// Where pictures go, as `--output` says.
enum OutputTarget: Hashable, Sendable {
  /// `-`
  case standardOutput
  /// All pictures behind each other in one file, device or FIFO.
  case file(String)
  /// A file a picture; its number, from 1, stands between the parts.
  case numbered(prefix: String, digits: Int, suffix: String)

  /// Reads `-`, a path, or a path with one `%d` or `%06d`; `%%` is a per cent sign. Explains what is wrong.
  init(parsing text: String) throws(Failure) {
    if text == "-" {
      self = .standardOutput
      return
    }
    var parts = [""]
    var digits = 0
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        parts[parts.count - 1].append(character)
        continue
      }
      if rest.first == "%" {
        parts[parts.count - 1].append(rest.removeFirst())
        continue
      }
      let number = rest.prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(number.count)
      guard rest.popFirst() == "d", number.isEmpty || number.first == "0", (Int(number) ?? 0) <= 20 else {
        throw Failure("'\(text)': a picture's number is written %d or %06d, a per cent sign %%")
      }
      digits = Int(number) ?? 0
      parts.append("")
    }
    switch parts.count {
    case 1: self = .file(parts[0])
    case 2: self = .numbered(prefix: parts[0], digits: digits, suffix: parts[1])
    default: throw Failure("'\(text)' has more than one place for the picture's number")
    }
  }

  /// Throws where pictures would go to a terminal, which they would only confuse.
  func requireNoTerminal() throws(Failure) {
    guard self == .standardOutput, Terminal.isTerminal else { return }
    throw Failure(
      "pictures are not for a terminal: name a file with --output FILE, or pipe them into a program")
  }

  /// The path of the picture with this number.
  func path(ofPicture number: UInt64) -> String {
    switch self {
    case .standardOutput: return "-"
    case .file(let path): return path
    case .numbered(let prefix, let digits, let suffix):
      let text = String(number)
      return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text + suffix
    }
  }
}
