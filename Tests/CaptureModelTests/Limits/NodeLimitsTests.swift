import CaptureModel
import FoundationEssentials
import Testing

@Suite struct NodeLimitsTests {
  /// The rows of docs/limits.md, by name: whether a star says that it can be configured, and the bound.
  private static func rows() throws -> [String: (isStarred: Bool, bound: Int?)] {
    var place = URL(filePath: #filePath)
    for _ in 0..<4 { place.deleteLastPathComponent() }
    let text = try String(contentsOf: place.appending(path: "docs/limits.md"), encoding: .utf8)
    var rows: [String: (isStarred: Bool, bound: Int?)] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
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
