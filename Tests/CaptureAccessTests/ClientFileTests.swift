import CaptureModel
import CaptureTLS
import Testing

@testable import CaptureAccess

@Suite struct ClientFileTests {
  private let one = Digest(of: [1])
  private let two = Digest(of: [2])

  private func file(_ text: String) throws -> ClientFile { try ClientFile(Array(text.utf8)) }

  /// As `capturectl credential new` writes it.
  private func made(_ entry: String) -> String {
    """
    // For /etc/capture-node/access.d of each node. It has no secret.
    {
      clients: {
        "controller": { \(entry) },
      },
    }

    """
  }

  @Test(arguments: [
    #"role: "control""#, #"role: "view", cameras: ["usb-*"], plaintext: true"#,
    #"grants: [{ role: "view", media: ["video"] }]"#,
  ]) func aSecondSecretComesAndTheFirstGoes(rights: String) throws {
    let old = made("secretSHA256: \"\(one)\", \(rights)")
    let both = try file(old).adding(two)
    #expect(both.text == made("secretSHA256: \"\(one)\", nextSHA256: \"\(two)\", \(rights)"))
    #expect((both.name, both.secret, both.next) == ("controller", one, two))
    #expect(both.isForPlaintext == rights.contains("plaintext"))
    let new = try file(both.text).finished()
    #expect(new.text == made("secretSHA256: \"\(two)\", \(rights)"))
    #expect(new.next == nil && new.secret == two)
  }

  @Test func itsOwnWayOfWritingStays() throws {
    let text = "{clients:{x:{role:'view',/* of the roof */'secretSHA256':'\(one)'}}}"
    let both = try file(text).adding(two)
    #expect(
      both.text
        == "{clients:{x:{role:'view',/* of the roof */'secretSHA256':'\(one)', nextSHA256: \"\(two)\"}}}")
    #expect(try both.finished().text == text.replacing("\(one)", with: "\(two)"))
  }

  @Test(arguments: [
    ("", "names no client"), ("{", "names no client"), ("{ clients: {} }", "names no client"),
    ("{ clients: { x: { secretSHA256: 'ab' } } }", "names no client"), ("\u{0}", "names no client"),
    ("{ clients: { x: { secretSHA256: '\(Digest(of: [1]))', nextSHA256: '1' } } }", "is no SHA-256"),
    (
      "{ clients: { x: { secretSHA256: '\(Digest(of: [1]))' }, y: { secretSHA256: '\(Digest(of: [2]))' } } }",
      "names 2 clients"
    ),
  ]) func anotherFileIsRefused(text: String, expected: String) {
    let error = #expect(throws: CaptureError.self) { try file(text) }
    #expect(error?.code == .failedPrecondition && error?.message.contains(expected) == true)
  }

  @Test func bytesThatAreNoTextAreRefused() {
    #expect(throws: CaptureError.self) { try ClientFile([0x7B, 0xFF, 0x7D]) }
  }

  /// What cannot be changed safely is left to a person.
  @Test func whatIsWrittenOtherwiseIsNotChanged() throws {
    for text in [
      "// \(one)\n{ clients: { x: { secretSHA256: '\(one)' } } }",
      "{ clients: { x: { secretSHA256: '\(one)', nextSHA256: '\(Digest(of: [3]))' } } }",
    ] {
      #expect(throws: CaptureError.self) { try file(text).adding(two) }
    }
    let first = "{ clients: { x: { nextSHA256: '\(two)', secretSHA256: '\(one)' } } }"
    #expect(throws: CaptureError.self) { try file(first).finished() }
  }
}
