/// The rules for names of profiles.
package enum ProfileName {
  /// Throws `invalidArgument` for an invalid name. Valid are 1 to 64 English letters, digits, "-", "_" and ".", but not "." or "..".
  package static func validate(_ name: String) throws(CaptureError) {
    let isPossible = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isPossible, 1...64 ~= name.utf8.count, name != ".", name != ".." else {
      throw CaptureError(
        .invalidArgument,
        "\(name.quoted) is no profile's name: 1 to 64 letters without accents, digits, '-', '_' and '.', and not '.' or '..'",
        .init(.valueNotPossible, field: "name", asked: .text(name))
      )
    }
  }
}
