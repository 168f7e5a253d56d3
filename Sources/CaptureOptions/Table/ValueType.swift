import CaptureModel

/// The type of an option's or argument's value: how it is written, read and completed.
public struct ValueType<Value: Sendable>: Sendable {
  /// The name of the value in help: "WxH".
  public var placeholder: String
  public var completion: Completion
  /// Reads what was typed.
  public var parse: @Sendable (String) throws(ValueError) -> Value

  public init(
    _ placeholder: String, completion: Completion = .none,
    parse: @escaping @Sendable (String) throws(ValueError) -> Value
  ) {
    self.placeholder = placeholder
    self.completion = completion
    self.parse = parse
  }

  /// `expectation` ends the sentence "--rate takes …" when `read` gives `nil`.
  public init(
    _ placeholder: String, expectation: String, completion: Completion = .none,
    read: @escaping @Sendable (String) -> Value?
  ) {
    self.init(placeholder, completion: completion) { text throws(ValueError) in
      guard let value = read(text) else { throw ValueError(expectation: expectation, given: text) }
      return value
    }
  }
}

/// A value that cannot be read. The parser puts the option's name before the text.
public struct ValueError: Error, Hashable, Sendable {
  /// "takes a whole number from 1 to 100, not 'many'"
  public var text: String
  public init(_ text: String) { self.text = text }

  public init(expectation: String, given: String) {
    self.init("takes \(expectation), not \(given.quoted)")
  }
}

/// The words that a shell offers for a value.
public enum Completion: Hashable, Sendable {
  case none
  case files
  case words([String])
  /// Names that only the running program can tell; the text is the program's own word for the kind of names. A shell calls the program with
  /// ``Program/completionCommand`` and the words typed so far, and offers the lines that the program prints. `besides`: words that the program always
  /// prints with the names.
  case program(String, besides: [String] = [])
}

extension ValueType where Value == String {
  /// Any text that is not empty.
  public static func text(_ placeholder: String, completion: Completion = .none) -> Self {
    Self(placeholder, expectation: "a text that is not empty", completion: completion) {
      $0.isEmpty ? nil : $0
    }
  }

  /// A file's path.
  public static func file(_ placeholder: String = "FILE") -> Self { .text(placeholder, completion: .files) }

  /// One of some words.
  public static func choice(_ placeholder: String, _ words: [String]) -> Self {
    Self(placeholder, expectation: words.joined(separator: " or "), completion: .words(words)) {
      words.contains($0) ? $0 : nil
    }
  }
}

extension ValueType where Value == Int {
  /// A whole number in a range.
  public static func integer(_ placeholder: String, in range: ClosedRange<Int>) -> Self {
    Self(placeholder, expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueType where Value == Double {
  /// A finite number above 0 and up to `maximum`; `unit` says of what: "frames a second".
  public static func positive(_ placeholder: String, upTo maximum: Int, unit: String) -> Self {
    Self(placeholder, expectation: "a number of \(unit) above 0 and up to \(maximum)") {
      Double($0).flatMap { $0 > 0 && $0 <= Double(maximum) ? $0 : nil }
    }
  }
}

extension ValueType where Value == Duration {
  /// Seconds with or without a fraction: from a millisecond to a day.
  public static let seconds = Self(
    "SECONDS", expectation: "a number of seconds from 0.001 to 86400"
  ) { text in
    Double(text).flatMap { $0 >= 0.001 && $0 <= 86_400 ? .seconds($0) : nil }
  }
}
