import CaptureSystem
import FoundationEssentials

/// A JSON5 file of the configuration. Its errors name the file, the line and the key.
struct JSON5Document<Contents: Decodable & Sendable>: Sendable {
  let path: String
  let contents: Contents
  /// The keys of the outermost object, and the lines on which they are.
  let keys: [String: Int]

  /// The longest file that is read, in bytes: far more than any configuration has.
  private static var longest: Int { 1 << 20 }

  init(path: String) throws(ConfigurationError) {
    let bytes: [UInt8]
    do throws(Errno) { bytes = try SmallFile.bytes(of: path, upTo: Self.longest) } catch {
      throw ConfigurationError("\(path): cannot be read: \(error)")
    }
    try self.init(Data(bytes), named: path)
  }

  /// Reads the text of a file. Messages use `name`.
  init(_ data: Data, named name: String) throws(ConfigurationError) {
    guard data.contains(where: { $0 > 0x20 }) else {
      throw ConfigurationError("\(name): is empty; a configuration is an object: { … }")
    }
    let text = String(decoding: data, as: UTF8.self)
    // The decoder ends the process at some bytes that are no UTF-8, and takes zero bytes for a sign of another encoding.
    if let place = data.indices.first(where: { data[$0] == 0 }) ?? Self.firstDifference(data, Data(text.utf8))
    {
      let line = data[..<place].count { $0 == UInt8(ascii: "\n") } + 1
      throw ConfigurationError("\(name): line \(line): has bytes that are no text in UTF-8")
    }
    // The scanner has to accept the text too, since only the scanner finds duplicate keys.
    if let fault = JSON5Fault.find(in: text) { throw ConfigurationError("\(name): \(fault)") }
    let scanner = JSON5Scanner.scanned(text)
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      contents = try decoder.decode(Contents.self, from: data)
    } catch {
      let line = Self.line(of: DecodingError.key(of: error), in: scanner)
      throw ConfigurationError(
        "\(name): \(line.map { "line \($0): " } ?? "")\(DecodingError.text(of: error))")
    }
    if let (key, places) = scanner.places.filter({ $0.value.count > 1 }).min(by: { $0.value[1] < $1.value[1] }
    ) {
      throw ConfigurationError(
        "\(name): line \(scanner.line(of: places[1])): \(key): is there twice, first on line \(scanner.line(of: places[0]))"
      )
    }
    path = name
    keys = scanner.places.filter { !$0.key.contains { $0 == "." || $0 == "[" } }
      .mapValues { scanner.line(of: $0[0]) }
  }

  private static func firstDifference(_ data: Data, _ other: Data) -> Int? {
    data == other ? nil : zip(data.indices, zip(data, other)).first { $1.0 != $1.1 }?.0 ?? data.endIndex
  }

  /// The line of a key, or else the line of the object or list that contains it.
  private static func line(of key: String, in scanner: JSON5Scanner) -> Int? {
    var key = key[...]
    while !key.isEmpty {
      if let place = scanner.places[String(key)]?.first { return scanner.line(of: place) }
      guard let end = key.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
      key = key[..<end]
    }
    return nil
  }
}

extension JSON5Scanner {
  /// Scans a text that has no fault.
  fileprivate static func scanned(_ text: String) -> JSON5Scanner {
    var scanner = JSON5Scanner(text)
    try? scanner.value(depth: 0)
    return scanner
  }
}
