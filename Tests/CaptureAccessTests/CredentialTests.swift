import CaptureModel
import CaptureTLS
import Glibc
import Testing

@testable import CaptureAccess

@Suite struct CredentialTests {
  private let path = "/tmp/credential-\(getpid())-\(UInt32.random(in: 0 ... .max))"

  private func secret(
    in text: String, mode: mode_t = 0o600, credentials: String? = nil
  ) throws -> Secret {
    let descriptor = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    defer { unlink(path) }
    write(descriptor, text, text.utf8.count)
    fchmod(descriptor, mode)
    close(descriptor)
    return try CredentialFile.credential(at: path) { $0 == "CREDENTIALS_DIRECTORY" ? credentials : nil }
      .secret
  }

  @Test func aSecretIsReadAsItWasWritten() throws {
    let made = Secret.make()
    #expect(try secret(in: made.hexadecimal + "\n").bytes == made.bytes)
    #expect(try secret(in: made.hexadecimal, mode: 0o400).bytes == made.bytes)
    // An access list that lets the service's user in looks like a group's right.
    #expect(try secret(in: made.hexadecimal, mode: 0o440, credentials: "/tmp").bytes == made.bytes)
  }

  @Test(
    arguments: [(0o640, nil), (0o604, nil), (0o444, "/tmp"), (0o440, "/run/other")] as [(mode_t, String?)])
  func oneThatOthersCanReadProvesNothing(mode: mode_t, credentials: String?) {
    #expect {
      try secret(in: Secret.make().hexadecimal, mode: mode, credentials: credentials)
    } throws: {
      "\($0)".contains("others can read it")
    }
  }

  @Test func whatIsNoSecretIsNotRepeated() {
    for text in ["", "hunter2", String(repeating: "a", count: 63), String(repeating: "g", count: 64)] {
      #expect {
        try secret(in: text)
      } throws: {
        "\($0)".hasPrefix("\(path) is no credential: it has to have 64")
      }
    }
    #expect(throws: CaptureError.self) { try CredentialFile.credential(at: "/nonexistent") }
  }

  @Test func aFingerprintLineIsReadAsItWasPrinted() throws {
    let line = FingerprintLine(
      host: "studio", addresses: ["10.0.0.7", "2001:db8::7"], port: 7311, pin: Digest(of: [1]))
    #expect(line.text == "capture-node/studio/10.0.0.7,2001:db8::7/7311/\(Digest(of: [1]))")
    #expect(try FingerprintLine(parsing: " \(line.text)\n") == line)
    for wrong in ["", "capture-node/", line.text + "/00", String(line.text.dropLast()), line.text + " x"] {
      #expect { try FingerprintLine(parsing: wrong) } throws: {
        "\($0)".hasPrefix("this is no fingerprint line: ")
      }
    }
  }

  private func refuse(
    _ book: inout AccessBook, _ name: String, _ secret: Secret, _ expected: AccessBook.Refusal?
  ) throws {
    let refusal = book.rotate(name, to: secret.digest)
    #expect(refusal == expected)
  }

  @Test func bothSecretsAreValidUntilTheNewOneWasUsed() throws {
    let (old, new, other) = (Secret.make(), Secret.make(), Secret.make())
    var book = AccessBook(clients: [
      KnownClient(name: "laptop", secret: old.digest, grants: [AccessGrant(.view)]),
      KnownClient(name: "other", secret: other.digest, grants: [AccessGrant(.view)]),
    ])
    try refuse(&book, "laptop", other, .knownSecret)
    try refuse(&book, "nobody", new, .unknownSecret)
    try refuse(&book, "laptop", new, nil)
    try refuse(&book, "laptop", new, nil)
    #expect(try book.client(secret: old.bytes, now: 0).get().name == "laptop")
    #expect(try book.client(secret: new.bytes, now: 0).get().name == "laptop")
    let ended = [book.endSecret(replacedBy: new.digest), book.endSecret(replacedBy: new.digest)]
    #expect(ended == [true, false])
    #expect(book.client(secret: old.bytes, now: 0) == .failure(.unknownSecret))
    #expect(try book.client(secret: new.bytes, now: 0).get().name == "laptop")
  }
}
