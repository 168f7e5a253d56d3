import CaptureLibrary

/// The key "library" of a configuration.
struct ConfiguredLibrary: Decodable {
  let value: LibraryConfiguration

  private enum Key: String, CaseIterable { case root, quotaBytes, maximumAgeDays, freeBytes, whenFull }

  init(from decoder: any Decoder) throws {
    let keys = try StrictKeys<Key>(decoder)
    guard let root = try keys.value(.root, String.self), root.hasPrefix("/") else {
      throw keys.refusal(.root, "is needed, the absolute path of a folder")
    }
    var value = LibraryConfiguration(root: root)
    value.quota = try Self.bytes(.quotaBytes, of: keys, from: 1_000_000)
    value.freeFloor = try Self.bytes(.freeBytes, of: keys, from: 0) ?? value.freeFloor
    if let days = try keys.value(.maximumAgeDays, Int.self) {
      guard 1...36_500 ~= days else {
        throw keys.refusal(.maximumAgeDays, "is a whole number of days from 1 to 36500")
      }
      value.maximumAge = days
    }
    switch try keys.value(.whenFull, String.self) {
    case nil, "refuse": break
    case "removeOldest": value.removesOldest = true
    default: throw keys.refusal(.whenFull, "is refuse or removeOldest")
    }
    self.value = value
  }

  private static func bytes(
    _ key: Key, of keys: StrictKeys<Key>, from least: Int64
  ) throws -> Int64? {
    guard let bytes = try keys.value(key, Double.self) else { return nil }
    guard Double(least)...1e18 ~= bytes else {
      throw keys.refusal(key, "is a number of bytes from \(least) to 1000000000000000000")
    }
    return Int64(bytes)
  }
}
