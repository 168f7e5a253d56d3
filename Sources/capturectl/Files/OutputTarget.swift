import CaptureClient

/// The place for pictures, from `--output`.
enum OutputTarget: Hashable, Sendable {
  /// `-`
  case standardOutput
  /// All pictures go into one file, device or FIFO, one after the other.
  case file(String)
  /// Each picture has its own file, with a number in its name.
  case numbered(NumberedName)
  /// Each picture has its own file, named by the time of its capture.
  case timed(TimedName)

  /// Reads `-`, a path, or a path with one `%d` or `%06d`, or with `%Y`, `%m`, `%d`, `%H`, `%M` and `%S`; `%%` is a per cent sign. `%d` is the day if
  /// another part of a time is there, and otherwise a number. The error explains what is wrong.
  init(parsing text: String) throws(Failure) {
    if text == "-" {
      self = .standardOutput
      return
    }
    let pieces = try Self.pieces(of: text)
    let isTimed = pieces.contains { if case .time = $0 { true } else { false } }
    let numbers = pieces.indices.filter {
      if case .number(let digits) = pieces[$0] { !isTimed || digits > 0 } else { false }
    }
    if isTimed {
      guard numbers.isEmpty else {
        throw Failure(
          "\(text.quoted) has both a number and a time; pictures of one second get a number by themselves")
      }
      self = .timed(TimedName(pieces))
      return
    }
    func literal(_ pieces: some Sequence<FileNamePiece>) -> String {
      pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }
    switch numbers.count {
    case 0: self = .file(literal(pieces))
    case 1:
      guard case .number(let digits) = pieces[numbers[0]] else { preconditionFailure("no number") }
      self = .numbered(
        NumberedName(
          prefix: literal(pieces[..<numbers[0]]), digits: digits,
          suffix: literal(pieces[(numbers[0] + 1)...])))
    default: throw Failure("\(text.quoted) has more than one place for the picture's number")
    }
  }

  private static func pieces(of text: String) throws(Failure) -> [FileNamePiece] {
    var pieces: [FileNamePiece] = []
    var literal = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        literal.append(character)
        continue
      }
      if rest.first == "%" {
        literal.append(rest.removeFirst())
        continue
      }
      let number = rest.prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(number.count)
      pieces.append(.text(literal))
      literal = ""
      let letter = rest.popFirst()
      if letter == "d", number.isEmpty || number.first == "0",
        let digits = number.isEmpty ? 0 : Int(number), digits <= 20
      {
        pieces.append(.number(digits: digits))
      } else if number.isEmpty, let part = letter.flatMap(TimedName.Part.init) {
        pieces.append(.time(part))
      } else {
        throw Failure(
          "\(text.quoted): a picture's number is written %d or %06d, its time with %Y, %m, %d, %H, %M and %S, a per cent sign %%"
        )
      }
    }
    return pieces + [.text(literal)]
  }

  /// The path with a place for a number before its extension: "shot-%d.jpg".
  static func numbering(_ path: String) -> String {
    let name = NumberedName.beside(path)
    return "\(name.prefix)%d\(name.suffix)"
  }

  /// Reads `-`, or the path of one file, in which nothing stands for a number or a time.
  init(ofOneFile text: String) { self = text == "-" ? .standardOutput : .file(text) }

  /// Throws where pictures would go to a terminal, which they would only confuse.
  func requireNoTerminal() throws(Failure) {
    guard self == .standardOutput, Terminal.isTerminal else { return }
    throw Failure(
      "pictures are not for a terminal: name a file with --output FILE, or pipe them into a program")
  }
}

/// A piece of a file's name.
enum FileNamePiece: Hashable, Sendable {
  case text(String)
  /// `digits`: the least number of digits.
  case number(digits: Int)
  case time(TimedName.Part)
}
