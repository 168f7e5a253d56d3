import CaptureSystem

/// An object of a configuration file in which every key must be known. JSONDecoder by itself ignores unknown keys.
struct StrictKeys<Key: RawRepresentable<String> & CaseIterable> {
  private let container: KeyedDecodingContainer<AnyKey>

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Throws for a key that is not in `Key`, and lists the valid ones. `refused`: former keys, which have errors of their own and are not listed.
  init(_ decoder: any Decoder, refused: [Key] = []) throws {
    container = try decoder.container(keyedBy: AnyKey.self)
    for key in container.allKeys where Key(rawValue: key.stringValue) == nil {
      let refused = refused.map(\.rawValue)
      let known = Key.allCases.map(\.rawValue).filter { !refused.contains($0) }.joined(separator: ", ")
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container,
        debugDescription:
          "there is no such key; there are: \(known); a newer version than \(Release.version) may have more")
    }
  }

  /// Returns `nil` where the key is missing.
  func value<T: Decodable>(_ key: Key, _ type: T.Type) throws -> T? {
    try container.decodeIfPresent(type, forKey: AnyKey(stringValue: key.rawValue))
  }

  /// The error for a value that is valid JSON but not possible here.
  func refusal(_ key: Key, _ text: String) -> any Error {
    DecodingError.dataCorruptedError(
      forKey: AnyKey(stringValue: key.rawValue), in: container, debugDescription: text)
  }
}
