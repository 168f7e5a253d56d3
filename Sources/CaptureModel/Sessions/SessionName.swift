/// The rules for names of sessions and outputs.
package enum SessionName {
  package static let rule = "names have 1 to 64 letters, digits, '-', '_' and '.', and are not '.' or '..'"

  package static func isPossible(_ name: String) -> Bool {
    let characters = name.utf8
    return (1...64).contains(characters.count) && name != "." && name != ".."
      && characters.allSatisfy { character in
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// The name that the node gives to a session whose client gave none.
  package static func ofUnnamed(_ number: UInt64) -> String { prefix + "\(number)" }

  private static let prefix = "session-"

  /// Throws `invalidArgument` for a name that no session can be given.
  package static func validate(_ name: String) throws(CaptureError) {
    guard isPossible(name) else {
      throw CaptureError(
        .invalidArgument, "\(name.quoted) cannot be a session's name; \(rule)",
        .init(.valueNotPossible, field: "session", asked: .text(name)))
    }
    guard !name.hasPrefix(prefix) || Int(name.dropFirst(prefix.count)) == nil else {
      throw CaptureError(
        .invalidArgument, "\(name.quoted) is how the node calls sessions without a name; choose another",
        .init(.valueNotPossible, field: "session", asked: .text(name)))
    }
  }
}
