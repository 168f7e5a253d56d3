import CaptureModel
import Glibc

/// The name of an asset: its time in UTC and eight random digits, "20261125-081502-123-9f86d081". The asset's files have this name, in a folder of
/// that day. No client chooses a file's name, so none can lead out of the library.
public struct AssetID: Hashable, Sendable, Comparable, CustomStringConvertible {
  public let text: String

  /// `nil`: `text` is not the name of an asset.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == Self.length else { return nil }
    for (index, byte) in bytes.enumerated() {
      let isRight =
        switch index {
        case 8, 15, 19: byte == UInt8(ascii: "-")
        case 20...: Self.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        default: Self.isDigit(byte)
        }
      guard isRight else { return nil }
    }
    self.text = String(text)
  }

  /// A new name. `created`: nanoseconds since 1970 in UTC, of a year from 1970 to 9999. `chance`: random bits, which distinguish assets of the same
  /// millisecond.
  public init(created: Int64, chance: UInt32 = .random(in: 0 ... .max)) {
    var seconds = time_t(created / 1_000_000_000)
    var date = tm()
    gmtime_r(&seconds, &date)
    let parts = [
      Self.digits(Int(date.tm_year) + 1900, 4), Self.digits(Int(date.tm_mon) + 1, 2),
      Self.digits(Int(date.tm_mday), 2), "-", Self.digits(Int(date.tm_hour), 2),
      Self.digits(Int(date.tm_min), 2), Self.digits(Int(date.tm_sec), 2), "-",
      Self.digits(Int(created / 1_000_000 % 1000), 3), "-",
    ]
    let hex = String(chance, radix: 16)
    text = parts.joined() + String(repeating: "0", count: 8 - hex.count) + hex
  }

  /// The day's folder: "2026/11/25".
  var folder: [String] { Self.folder(ofDay: day) }

  /// "20261125"
  var day: String { String(text.prefix(8)) }

  static func folder(ofDay day: some StringProtocol) -> [String] {
    let bytes = Array(day.utf8)
    return [bytes[0..<4], bytes[4..<6], bytes[6..<8]].map { String(decoding: $0, as: UTF8.self) }
  }

  /// The name of a resource's file: "….jpg" for the first one, "…+1.dng" for the next.
  func file(_ place: Int, _ type: ResourceType) -> String {
    text + (place == 0 ? "" : "+\(place)") + "." + type.fileExtension
  }

  /// The file's path below the library's root.
  public func path(_ place: Int, _ type: ResourceType) -> String {
    (folder + [file(place, type)]).joined(separator: "/")
  }

  /// When the asset was created, as precisely as the name says it: nanoseconds since 1970 in UTC, whole milliseconds.
  var created: Int64 {
    let digits = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int32 {
      digits[range].reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
    }
    var date = tm()
    date.tm_year = number(0..<4) - 1900
    date.tm_mon = number(4..<6) - 1
    date.tm_mday = number(6..<8)
    (date.tm_hour, date.tm_min, date.tm_sec) = (number(9..<11), number(11..<13), number(13..<15))
    return Int64(timegm(&date)) * 1_000_000_000 + Int64(number(16..<19)) * 1_000_000
  }

  public static func < (a: AssetID, b: AssetID) -> Bool { a.text < b.text }
  public var description: String { text }

  private static let length = 28

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}

/// The name of a resource's file.
struct ResourceFile: Hashable {
  var asset: AssetID
  var place: Int
  var type: ResourceType

  /// `nil`: no file of a library has that name.
  init?(_ name: String) {
    guard let dot = name.lastIndex(of: "."),
      let type = ResourceType(fileExtension: name[name.index(after: dot)...])
    else { return nil }
    let parts = name[..<dot].split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
    guard let asset = AssetID(parts[0]) else { return nil }
    if parts.count == 2 {
      guard let place = Int(parts[1]), place > 0, "\(place)" == parts[1] else { return nil }
      self.place = place
    } else {
      place = 0
    }
    (self.asset, self.type) = (asset, type)
  }
}
