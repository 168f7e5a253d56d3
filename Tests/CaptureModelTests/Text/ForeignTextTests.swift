import Testing

@testable import CaptureModel

@Suite struct ForeignTextTests {
  @Test(arguments: [
    ("plain, ünïcode, カメラ", "plain, ünïcode, カメラ"), ("", ""),
    ("a\nb\r\tc", #"a\nb\r\tc"#), ("\u{1B}[31m", #"\u{1B}[31m"#), ("\u{0}\u{7F}", #"\u{0}\u{7F}"#),
    ("\u{85}\u{9B}", #"\u{85}\u{9B}"#), ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
    ("\u{202A}\u{202E}\u{2066}\u{2069}", #"\u{202A}\u{202E}\u{2066}\u{2069}"#),
    ("\u{200B}\u{200D}\u{FEFF}\u{AD}", #"\u{200B}\u{200D}\u{FEFF}\u{AD}"#),
    ("\u{34F}\u{3164}\u{FE0F}\u{E0041}", #"\u{34F}\u{3164}\u{FE0F}\u{E0041}"#),
  ])
  func whatIsHiddenIsWrittenOut(_ text: String, _ visible: String) {
    #expect(text.visible == visible)
    #expect(text.quoted == "'\(visible)'")
  }

  @Test func aLongTextIsCutAndItsLengthTold() {
    let long = String(repeating: "x", count: 60_000)
    #expect(long.quoted == "'\(long.prefix(128))…' (60000 bytes)")
    #expect(long.abridged() == "\(long.prefix(128))… (60000 bytes)")
    #expect(long.abridged(to: 60_000) == long)
    #expect(String(repeating: "x", count: 128).quoted.hasSuffix("x'"))
  }

  /// One letter to a person, and as long as its writer wants.
  @Test func aLetterOfManyMarksIsCutToo() {
    let letter = "e" + String(repeating: "\u{301}", count: 5000)
    #expect(letter.count == 1)
    #expect(letter.quoted.unicodeScalars.count < 200)
    #expect(String(repeating: "\u{202E}", count: 5000).quoted.utf8.count < 128 * 8 + 30)
  }

  @Test func errorsNameALongNameByItsBeginning() {
    let name = "nobody\n<3>forged" + String(repeating: "y", count: 60_000)
    var roster = CameraRoster()
    roster.appeared(
      CameraDescription(id: CameraID(rawValue: "front"), name: "Front", driver: "fake", bus: ""))
    let messages = [
      errorMessage { _ = try roster.find(name) },
      errorMessage { try ProfileName.validate(name) }, errorMessage { try SessionName.validate(name) },
      errorMessage {
        _ = try SessionConfiguration(inputs: [.init(camera: "0")], outputs: [.init(name: name, kind: .video)])
          .validated()
      },
    ]
    for message in messages {
      #expect(
        message.utf8.count < 600 && message.contains("60016 bytes") && !message.contains("\n"), "\(message)")
    }
  }

  @Test(arguments: [".", ".."]) func pathsAreNoNames(_ name: String) {
    #expect(errorMessage { try ProfileName.validate(name) }.hasPrefix("'\(name)' is no profile's name"))
    #expect(errorMessage { try SessionName.validate(name) }.hasPrefix("'\(name)' cannot be a session's name"))
    #expect(!SessionName.isPossible(name) && SessionName.isPossible("...") && SessionName.isPossible(".a"))
    #expect(throws: Never.self) { try ProfileName.validate("...") }
  }

  private func errorMessage(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }
}
