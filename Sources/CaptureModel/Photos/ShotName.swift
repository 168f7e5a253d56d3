/// The name of a shot: the common name of photos that belong together, such as those of several cameras at one moment.
public enum ShotName {
  /// The longest name in bytes of UTF-8.
  public static let longest = 200

  /// Throws `invalidArgument` for a name that no shot can have.
  public static func validate(_ name: String) throws(CaptureError) {
    let count = name.utf8.count
    guard (1...longest).contains(count) else {
      throw CaptureError(
        .invalidArgument, "the name of a shot has 1 to \(longest) bytes, and this one \(count)",
        .init(
          .valueOutOfRange, field: "settings.shot", asked: .number(Double(count)),
          range: .init(1, Double(longest))))
    }
    guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw CaptureError(
        .invalidArgument, "the name of a shot has a control character; write it in one line without any",
        .init(.valueNotPossible, field: "settings.shot"))
    }
  }
}
