import FoundationEssentials
import Testing

@testable import CaptureNode

@Suite struct JSON5FaultTests {
  @Test(arguments: [
    ("{ listen: [\"a\"\n cameras: 3\n}", 2, 2, "',' or ']'"),
    ("{\n  logLevel \"info\"\n}", 2, 12, "':' after the key"),
    ("{ cameras: [} ", 1, 13, "a value"),
    ("{ a: 'open\n}", 1, 11, "' at the end of the text"),
    ("{ a: 1", 1, 7, "',' or '}'"),
    ("{} x", 1, 4, "nothing after the end"),
    ("/* comment", 1, 11, "a value"),
    ("{ [1]: 2 }", 1, 3, "a key"),
    ("{ a: 1,\n  '\\u0061': 2 }", 2, 3, "a key without '\\'"),
  ]) func faultHasItsPlace(text: String, line: Int, column: Int, expected: String) throws {
    let fault = try #require(JSON5Fault.find(in: text))
    #expect((fault.line, fault.column, fault.expected) == (line, column, expected))
  }

  @Test(arguments: [
    "{}", "[1, 2,]", "// c\n{ a: .5, 'b': \"x\\\"y\", c: [null, true, -Infinity, 0xAf], /* d */ $e: {}, }\n",
  ]) func wholeTextHasNone(text: String) {
    #expect(JSON5Fault.find(in: text) == nil)
  }

  /// At the first, the decoder ended the process.
  @Test(arguments: [
    "-3e+", "3e", "3e-", "3e+x", ".", "+", "-.", ".e1", "0x", "0xG", "01", "1.2.3", "1e2.5", "--1", "1_000",
    "0b1", "+null", "infinity",
    "yes", "٣", "1é",
  ]) func wordThatIsNoNumberIsRefused(word: String) throws {
    let fault = try #require(JSON5Fault.find(in: "{ a:\n  \(word) }"))
    #expect((fault.line, fault.column, fault.found) == (2, 3, word.first))
    #expect(fault.expected == "a number, true, false, null or a text in quotes")
  }

  @Test(arguments: [
    "0", "-0", "+1", "10.", ".5", "1.5e3", "1e-3", "1E+3", "0e9", "0xAf", "-0X1", "Infinity", "-Infinity",
    "+NaN", "true", "false",
    "null",
  ]) func literalIsTaken(word: String) { #expect(JSON5Fault.find(in: "[\(word)]") == nil) }

  /// The scanner took the comment for closed, and the quote for another character, and so did not see the number.
  @Test(arguments: [
    "{ a: /*/ \"*/ 3e+ //\"\n}", "{ b: \"x\u{600}\", a: 3e+, c: \"y\" }",
    "{ b: \"\u{301}\", a: 3e+, c: \"\u{301}\" }",
  ])
  func numberIsFoundWhereTheDecoderFindsIt(text: String) throws {
    let fault = try #require(JSON5Fault.find(in: text))
    #expect(fault.expected == "a number, true, false, null or a text in quotes" && fault.found == "3")
  }

  /// A line that ends within a comment, and digits that the decoder does not look at, hid it.
  @Test(arguments: [
    ("{ // \u{B}/*\n a: 3e+, // */\n}", "a number, true, false, null or a text in quotes"),
    ("{ x: \"\\u000\\\", a: 3e+, y: \", z: '\", w: 1 //'\n}", "a hexadecimal digit"),
    ("{ x: '\\x4', a: 3e+ }", "a hexadecimal digit"),
  ]) func numberIsNotHidden(text: String, expected: String) throws {
    #expect(try #require(JSON5Fault.find(in: text)).expected == expected)
  }

  @Test func keysThatLookAlikeDiffer() throws {
    #expect(JSON5Fault.find(in: "{ \"x\u{600}\": 1, x: 2, '\\u00e9': 3 }")?.expected == "a key without '\\'")
    var scanner = JSON5Scanner("{ \"x\u{600}\": 1, x: 2, 'y': '\\u00e9\\n' }")
    try scanner.value(depth: 0)
    #expect(scanner.places.mapValues(\.count) == ["x\u{600}": 1, "x": 1, "y": 1])
  }

  @Test func aLineEndsOnce() throws {
    let fault = try #require(JSON5Fault.find(in: "{\r\n a: 1,\r\n b: }"))
    #expect((fault.line, fault.column) == (3, 5))
  }

  @Test func deepTextIsRefused() {
    #expect(JSON5Fault.find(in: String(repeating: "[", count: 100_000)) != nil)
  }

  /// The decoder ended the process at those behind the comma.
  @Test(arguments: [[0xFF, 0xFE], [0xC3], [0], [0xED, 0xA0, 0x80]] as [[UInt8]])
  func bytesThatAreNoTextAreRefused(bytes: [UInt8]) {
    let text = Data("{\n  cameras: [],".utf8) + bytes + Data("}".utf8)
    #expect {
      try JSON5Document<ConfigurationFile>(text, named: "node.json5")
    } throws: { "\($0)" == "node.json5: line 2: has bytes that are no text in UTF-8" }
  }

  @Test func configurationNamesThePlace() {
    #expect {
      try JSON5Document<ConfigurationFile>(Data("{\n  listen: [1 2],\n}".utf8), named: "node.json5").contents
    } throws: { "\($0)" == "node.json5: line 2, column 14: expected ',' or ']', found '2'" }
  }
}
