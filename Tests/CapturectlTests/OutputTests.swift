import CaptureClient
import Foundation
import Testing

@testable import capturectl

@Suite struct OutputTests {
  @Test func jsonKeepsTheOrderAndEscapes() throws {
    let document: JSON = [
      "z": "a\"b\\c\n\u{1}ü", "a": [JSON(-1), JSON(UInt64.max), JSON.null, JSON(true)],
      "n": JSON.number(1.0 / 3, decimals: 2),
      "inf": JSON.number(.infinity, decimals: 1),
    ]
    let text = "\(document)"
    #expect(text == #"{"z":"a\"b\\c\n\u0001ü","a":[-1,18446744073709551615,null,true],"n":0.33,"inf":null}"#)
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(parsed?["z"] as? String == "a\"b\\c\n\u{1}ü")
  }

  @Test(arguments: [
    (0.0, 2, "0.00"), (1.005, 1, "1.0"), (-0.04, 1, "0.0"), (-1.26, 1, "-1.3"), (29.97, 1, "30.0"),
    (12.0, 0, "12"), (0.999, 2, "1.00"),
  ])
  func numbersAreRoundedInEveryLocale(value: Double, decimals: Int, text: String) {
    #expect(fixed(value, decimals) == text)
  }

  @Test func bytesAndDurationsReadLikeAPersonsOwn() {
    #expect(
      [0, 999, 1000, 999_960, 1_500_000_000].map(bytesText) == ["0 B", "999 B", "1.0 kB", "1.0 MB", "1.5 GB"])
    #expect(
      [700, 12_000, 61_000, 7_260_000, 93_600_000].map(durationText)
        == ["0.7 s", "12 s", "1 min 1 s", "2 h 1 min", "1 d 2 h"])
  }

  @Test func columnsAlignByWhatTheTerminalShows() {
    var table = TextTable("NAME", .number("N"), "X")
    table.add("カメラ", "1", "a")
    table.add("e\u{301}", "12", "b")
    #expect(table.text(width: nil) == "NAME     N  X\nカメラ   1  a\ne\u{301}       12  b\n")
  }

  @Test func flexibleColumnsGiveWayToANarrowTerminal() {
    var table = TextTable("A", .flexible("LONG"), "B")
    table.add("1", String(repeating: "x", count: 60), "2")
    let lines = table.text(width: 20).split(separator: "\n")
    #expect(lines.map(\.count) == [20, 20, 17, 17, 17, 7])
    #expect(lines[1].hasSuffix("xx  2"))
    #expect(table.text(width: nil).contains("xxx  2"))
  }

  @Test func cellsGoOnInFurtherLinesBetweenWords() {
    #expect("0 Auto, 1 Manual, 2 Shutter".wrapped(to: 16) == ["0 Auto, 1", "Manual, 2", "Shutter"])
    #expect("".wrapped(to: 5) == [""])
  }

  @Test func aPointIsProposedOnlyWhereThereIsOne() {
    var about = SettingsDescription()
    about.focus = .init(modes: [.auto])
    #expect(nextStep(about, for: "front").hasPrefix("Try 'capturectl focus front --mode auto'; "))
    about.focus?.hasPointOfInterest = true
    #expect(
      nextStep(about, for: "front").hasPrefix("Try 'capturectl focus front --mode auto --at 0.5,0.5'; "))
  }

  @Test func textFromTheNodeCannotDriveTheTerminal() {
    #expect("a\u{1B}[31m\u{9B}b\n".printable == #"a\u{1B}[31m\u{9B}b\n"#)
    #expect("x\u{202E}y\u{200B}\u{2028}é".printable == #"x\u{202E}y\u{200B}\u{2028}é"#)
    #expect("one\u{85}\ntwo\r\n".printableLines == "one\\u{85}\ntwo\\r\\n")
  }

  /// A program reads the same text; a terminal is not driven by it.
  @Test(arguments: [
    "\u{85}\u{9B}", "\u{2028}\u{2029}", "\u{202E}a\u{2066}", "\u{200B}\u{FEFF}", "\u{E0041}\u{7F}",
  ])
  func jsonEscapesWhatIsHidden(_ text: String) throws {
    let document = "\(["name": text] as JSON)"
    #expect(document.unicodeScalars.allSatisfy(\.isASCII) && !document.contains("\u{7F}"))
    let parsed = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: String]
    #expect(parsed?["name"].map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
  }
}
