import Testing

@testable import CaptureAccess

@Suite struct KnownClientTests {
  @Test(arguments: ["a", "_a", "0", "Desk-1.local", String(repeating: "a", count: 63)])
  func aNameOfUpTo63CharactersIsTaken(_ name: String) {
    #expect(KnownClient.isName(name))
  }

  @Test(arguments: ["", ".a", "-a", "a b", "é", "a/b", "a\n", String(repeating: "a", count: 64)])
  func whatIsNoNameIsRefused(_ name: String) {
    #expect(!KnownClient.isName(name))
  }

  @Test func theTextForPeopleSaysWhatIsTaken() {
    #expect(
      KnownClient.namePattern
        == "1 to 63 letters, digits, '.', '_' and '-', without '.' or '-' at the beginning")
  }
}
