import CaptureSystem
import Glibc

/// The names of numbered files: "shots-000001.jpg".
struct NumberedName: Hashable, Sendable {
  var prefix: String
  /// The least number of digits.
  var digits: Int
  var suffix: String

  /// Names with a number before the extension of the path: "shot-1.jpg".
  static func beside(_ path: String) -> NumberedName {
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let dot = path[name...].lastIndex(of: ".").flatMap { $0 > name ? $0 : nil } ?? path.endIndex
    return NumberedName(prefix: "\(path[..<dot])-", digits: 0, suffix: String(path[dot...]))
  }

  func path(_ number: UInt64) -> String {
    let text = String(number)
    return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text + suffix
  }

  /// The number after the highest one in the name of an existing file.
  func next() -> UInt64 {
    let lastSlash = prefix.lastIndex(of: "/")
    let (folder, name) = Self.cut(prefix, at: lastSlash.map { prefix.index(after: $0) } ?? prefix.startIndex)
    let (suffixOfEntry, pathInFolder) = Self.cut(suffix, at: suffix.firstIndex(of: "/") ?? suffix.endIndex)
    var highest: UInt64 = 0
    for entry in Self.entries(of: folder.isEmpty ? "." : folder) {
      guard let number = number(in: entry, prefix: name, suffix: suffixOfEntry), number > highest else {
        continue
      }
      // The number may be in a folder's name, as in "%d/picture.jpg". It counts if that folder has the picture.
      if pathInFolder.isEmpty || access(folder + entry + pathInFolder, F_OK) == 0 { highest = number }
    }
    return highest + 1
  }

  /// The number in the name `entry`; `nil`: it is none of these names.
  func number(in entry: String, prefix: String, suffix: String) -> UInt64? {
    guard entry.hasPrefix(prefix), entry.hasSuffix(suffix), entry.count > prefix.count + suffix.count else {
      return nil
    }
    let number = entry.dropFirst(prefix.count).dropLast(suffix.count)
    guard number.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    // Leading zeros beyond `digits` belong to a name with more digits, or to a time, so the number does not count.
    if number.utf8.first == UInt8(ascii: "0"), number.count > max(digits, 1) { return nil }
    // A number near the largest one does not count: it leaves no room for further ones.
    return UInt64(number).flatMap { $0 < UInt64.max / 2 ? $0 : nil }
  }

  /// The text before a place, and the rest.
  private static func cut(_ text: String, at place: String.Index) -> (String, String) {
    (String(text[..<place]), String(text[place...]))
  }

  /// The names in a folder.
  static func entries(of folder: String) -> [String] {
    (try? FolderNames.names(in: folder)) ?? []
  }
}
