import CaptureModel
import FoundationEssentials
import Testing

@Suite struct NodeLimitsTests {
  /// The lines of docs/limits.md that begin so.
  private static func lines(_ beginning: String) throws -> [Substring] {
    var place = URL(filePath: #filePath)
    for _ in 0..<4 { place.deleteLastPathComponent() }
    let text = try String(contentsOf: place.appending(path: "docs/limits.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix(beginning) }
  }

  /// The rows of the table, by name: whether a star says that it can be configured, and the bound.
  private static func rows() throws -> [String: (isStarred: Bool, bound: Int?)] {
    var rows: [String: (isStarred: Bool, bound: Int?)] = [:]
    for line in try lines("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingPrefix(while: \.isWhitespace) }
      let name = cells[0].split(separator: "`")[0]
      rows[String(name)] = (
        cells[0].contains("*"), Int(cells[2].prefix { $0.isNumber })
      )
    }
    return rows
  }

  @Test func thePageHasARowForEachLimit() throws {
    let rows = try Self.rows()
    #expect(Set(rows.keys) == Set(NodeLimit.allCases.map(\.rawValue)))
    for limit in NodeLimit.allCases {
      #expect(rows[limit.rawValue]?.bound == limit.usual, "\(limit)")
      #expect(rows[limit.rawValue]?.isStarred == (limit.configurable != nil), "\(limit)")
    }
  }

  @Test func thePageHasTheRangeOfEachLimitThatCanBeConfigured() throws {
    var ranges: [String: ClosedRange<Int>] = [:]
    for line in try Self.lines("- ") {
      let words = line.dropFirst(2).prefix { $0 != ":" }.split(separator: " ")
      guard words.count == 3, words[1] == "to", let least = Int(words[0]), let most = Int(words[2]) else {
        continue
      }
      for name in line.split(separator: "`").dropFirst() where name.first?.isLetter == true {
        ranges[String(name)] = least...most
      }
    }
    for limit in NodeLimit.allCases { #expect(ranges[limit.rawValue] == limit.configurable, "\(limit)") }
  }

  @Test func whatIsUsualCanBeConfigured() {
    for limit in NodeLimit.allCases { #expect(limit.configurable?.contains(limit.usual) ?? true, "\(limit)") }
  }

  @Test func aLimitIsTheUsualOneUnlessItIsSet() {
    var limits = NodeLimits()
    limits[.sessions] = 3
    #expect(limits[.sessions] == 3 && limits[.profilesPerCamera] == NodeLimit.profilesPerCamera.usual)
    #expect(NodeLimit.sessions.exceeded("3 are open").message == "3 are open (sessions)")
  }
}
