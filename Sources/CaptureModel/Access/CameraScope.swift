import Glibc

/// Which of a node's cameras somebody may see: every one, or those whose identities match one of some patterns. For them, a camera outside the scope
/// does not exist.
///
/// In a pattern '*' stands for any text, '?' for any character, and [abc] or [a-z] for one of several characters. Patterns are matched at each call,
/// so they cover cameras that appear later.
public struct CameraScope: Hashable, Sendable {
  /// Empty: every camera.
  public let patterns: [String]

  /// Every camera.
  public static let every = CameraScope([])

  /// A scope without cameras: no camera has an empty identity.
  public static let noCamera = CameraScope([""])

  /// The cameras whose identities one of the patterns matches. Without patterns: every camera.
  public init(_ patterns: [String]) { self.patterns = patterns }

  /// Whether every camera is in the scope.
  public var isEvery: Bool { patterns.isEmpty }

  /// Whether a camera is in the scope.
  public func contains(_ camera: CameraID) -> Bool { contains(camera: camera.rawValue) }

  /// `camera`: its identity.
  public func contains(camera: String) -> Bool {
    patterns.isEmpty || patterns.contains { Self.matches($0, camera) }
  }

  /// The patterns that none of `cameras` matches.
  public func unmatched(by cameras: [CameraID]) -> [String] {
    patterns.filter { pattern in !cameras.contains { Self.matches(pattern, $0.rawValue) } }
  }

  private static func matches(_ pattern: String, _ text: String) -> Bool { fnmatch(pattern, text, 0) == 0 }

  /// The most patterns of one client.
  public static let most = NodeLimit.patternsPerClient.usual

  /// The error for a client that would have `count` patterns. `client`: its name, for a person. `field`: of the request.
  package static func tooManyPatterns(
    _ count: Int, of client: String = "the client", field: String
  ) -> CaptureError {
    NodeLimit.patternsPerClient.exceeded(
      "\(client) would have \(count) patterns of cameras, and a client has up to \(most): give wider ones"
    ).about(field: field)
  }

  /// Whether a text may be a pattern: up to 128 printable characters of ASCII, without spaces, '!' and '\'. With '!' or '\' it could mean something
  /// else to SQLite's GLOB.
  public static func isPattern(_ text: String) -> Bool {
    1...128 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x21 && $0 != 0x5C }
      && hasPlainSets(text)
  }

  /// Whether each '[' has a ']', with only plain characters and ascending ranges between them. Other sets mean one thing to `fnmatch` and another to
  /// GLOB.
  private static func hasPlainSets(_ text: String) -> Bool {
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "[") {
      let behind = rest[rest.index(after: start)...]
      guard let end = behind.firstIndex(of: "]") else { return false }
      let set = Array(behind[..<end].utf8.drop { $0 == UInt8(ascii: "^") })
      guard !set.isEmpty, !set.contains(UInt8(ascii: "[")) else { return false }
      let ranges = set.indices.dropFirst().dropLast().filter { set[$0] == UInt8(ascii: "-") }
      guard ranges.allSatisfy({ set[$0 - 1] <= set[$0 + 1] }) else { return false }
      rest = behind[behind.index(after: end)...]
    }
    return true
  }

  /// What a pattern is, for a person.
  public static let expectation =
    "a pattern of cameras' identities has up to 128 characters without spaces, '!' and '\\': '*' stands for any text, '?' for any character, [abc] "
    + "for one of some"
}
