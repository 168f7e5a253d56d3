import CaptureModel
import CaptureTLS
import Testing

@testable import CaptureAccess

@Suite struct AccessBookTests {
  static let code: [UInt8] = Array(repeating: 5, count: 16)
  let secret = Secret.make()
  let other = Secret.make()

  func book() -> AccessBook {
    var book = AccessBook()
    #expect(
      book.add(code: Self.code, grants: [AccessGrant(.view)], name: "", clientSeconds: nil, boottime: 100)
        == nil)
    return book
  }

  func pair(_ book: inout AccessBook, _ secret: Secret, boottime: UInt64 = 200) -> Result<
    AccessBook.Pairing, AccessBook.Refusal
  > {
    book.pair(code: Self.code, secret: secret.digest, name: "laptop", now: 1_000, boottime: boottime)
  }

  @Test func whoeverHasACodeBecomesAClient() throws {
    var book = book()
    guard case .success(.new(let client)) = pair(&book, secret) else {
      Issue.record("refused")
      return
    }
    #expect((client.name, client.role) == ("laptop", .view))
    #expect(try book.client(secret: secret.bytes, now: 0).get() == client)
    #expect(book.client(secret: other.bytes, now: 0) == .failure(.unknownSecret))
  }

  @Test func aLostAnswerIsGivenAgainAndAnotherSecretIsTheft() {
    var book = book()
    guard case .success(.new(let client)) = pair(&book, secret) else {
      Issue.record("refused")
      return
    }
    #expect(pair(&book, secret) == .success(.again(client)))
    #expect(pair(&book, other) == .failure(.usedCode("laptop")))
    #expect(book.clients == [client])
  }

  @Test func aCodeEndsAfterTenMinutes() {
    var late = book()
    #expect(pair(&late, secret, boottime: 100 + AccessBook.codeLife) == .failure(.unknownCode))
    var justInTime = book()
    guard case .success = pair(&justInTime, secret, boottime: 99 + AccessBook.codeLife) else {
      Issue.record("refused")
      return
    }
  }

  @Test func aCodeEndsWithTheClientThatMadeIt() throws {
    var book = book()
    guard case .success(.new(let admin)) = pair(&book, secret) else {
      Issue.record("refused")
      return
    }
    for code: UInt8 in [1, 2] {
      let maker = code == 1 ? admin.name : "controller"
      #expect(
        book.add(
          code: [code], grants: [AccessGrant(.admin)], name: "", clientSeconds: nil, maker: maker,
          boottime: 100) == nil
      )
    }
    _ = book.revoke(admin.name)
    for code: UInt8 in [1, 2] {
      #expect(
        book.pair(code: [code], secret: other.digest, name: "", now: 0, boottime: 200)
          == .failure(.unknownCode))
    }
    // Another of its name does not bring them back; one that the configuration names goes with its entry.
    book.configured = [
      KnownClient(name: "controller", secret: other.digest, grants: [AccessGrant(.admin)], created: 0)
    ]
    guard
      case .success(.new) = book.pair(
        code: [2], secret: Secret.make().digest, name: "", now: 0, boottime: 200)
    else {
      Issue.record("refused")
      return
    }
  }

  @Test func eightCodesAreValidAtOnceAndWrongOnesTakeNoneOfThemAway() {
    var book = book()
    for number in 1..<UInt8(AccessBook.mostCodes) {
      #expect(
        book.add(code: [number], grants: [AccessGrant(.view)], name: "", clientSeconds: nil, boottime: 100)
          == nil)
    }
    #expect(
      book.add(code: [99], grants: [AccessGrant(.view)], name: "", clientSeconds: nil, boottime: 100)
        == .tooManyCodes)
    for number in 0..<1_000 {
      let wrong = book.pair(
        code: Digest(of: "\(number)".utf8).bytes, secret: other.digest, name: "", now: 0, boottime: 200)
      #expect(wrong == .failure(.unknownCode))
    }
    guard case .success(.new) = pair(&book, secret) else {
      Issue.record("refused")
      return
    }
    // The used one has made room.
    #expect(
      book.add(code: [99], grants: [AccessGrant(.view)], name: "", clientSeconds: nil, boottime: 300) == nil)
  }

  @Test func aRevokedClientIsUnknownAndItsCodeStaysUsedUp() {
    var book = book()
    _ = pair(&book, secret)
    #expect(book.revoke("laptop") != nil)
    #expect(book.revoke("laptop") == nil)
    #expect(book.client(secret: secret.bytes, now: 0) == .failure(.unknownSecret))
    #expect(pair(&book, secret) == .failure(.unknownCode))
  }

  @Test func aClientEndsWithItsTime() {
    var book = AccessBook()
    _ = book.add(
      code: Self.code, grants: [AccessGrant(.view)], name: "guest", clientSeconds: 60, boottime: 100)
    _ = pair(&book, secret)
    #expect((try? book.client(secret: secret.bytes, now: 1_059).get())?.name == "guest")
    #expect(book.client(secret: secret.bytes, now: 1_060) == .failure(.expired("guest")))
  }

  /// The end of a client's time is one of the clock; that of a code is not.
  @Test func aClockThatIsSetEndsAClientAndBringsItBack() {
    let years: Int64 = 20 * 365 * 86_400
    var book = AccessBook()
    _ = book.add(
      code: Self.code, grants: [AccessGrant(.view)], name: "guest", clientSeconds: 60, boottime: 100)
    guard
      case .success(.new(let client)) = book.pair(
        code: Self.code, secret: secret.digest, name: "", now: years, boottime: 200)
    else {
      Issue.record("the code has ended with the clock")
      return
    }
    #expect(client.expires == years + 60)
    for (now, isOver) in [
      (years, false), (3 * years, true), (years + 59, false), (0, false), (-years, false), (years + 60, true),
    ] {
      let found = book.client(secret: secret.bytes, now: now)
      #expect(found == (isOver ? .failure(.expired("guest")) : .success(client)), "\(now)")
      #expect(book.clients == [client], "it is known until it is revoked")
    }
  }

  private func configured(_ secret: Digest, next: Digest? = nil) -> KnownClient {
    var client = KnownClient(name: "roof", secret: secret, grants: [AccessGrant(.view)])
    client.next = next
    return client
  }

  @Test func aClientOfTheConfigurationHasTwoSecretsUntilTheNewOneIsUsed() throws {
    var book = AccessBook()
    let client = configured(secret.digest, next: other.digest)
    book.configured = [client]
    for valid in [secret, other] { #expect(try book.client(secret: valid.bytes, now: 0).get() == client) }
    #expect(book.withoutReplacedSecret(client) == client)
    #expect(book.endSecret(replacedBy: other.digest) && !book.endSecret(replacedBy: other.digest))
    // The same for a book that was read from its file.
    var again = AccessBook(replaced: book.replaced)
    again.configured = [client]
    for book in [book, again] {
      #expect(book.client(secret: secret.bytes, now: 0) == .failure(.unknownSecret))
      #expect(try book.client(secret: other.bytes, now: 0).get().name == "roof")
      #expect(book.withoutReplacedSecret(client) == configured(other.digest) && book.knows("roof"))
    }
    // A file that names the old one again brings it not back.
    again.configured = [configured(secret.digest)]
    #expect(again.client(secret: secret.bytes, now: 0) == .failure(.unknownSecret) && !again.knows("roof"))
    var late = AccessBook()
    let lacksNone = !late.replaceClients(from: book)
    #expect(lacksNone && late.replaced == [secret.digest])
    // Nor does an older file, which lacks it.
    let lacksOne = late.replaceClients(from: AccessBook(exposed: [other.digest]))
    #expect(lacksOne && late.replaced == [secret.digest] && late.exposed == [other.digest])
  }

  @Test func whatCameInTheClearEndsBothSecrets() {
    var book = AccessBook()
    let client = configured(secret.digest, next: other.digest)
    book.configured = [client]
    let outcomes = [book.expose(secret.digest), book.expose(secret.digest)]
    #expect(outcomes.map(\.isNew) == [true, false] && outcomes.map(\.ended) == ["roof", nil])
    for exposed in [secret, other] {
      #expect(book.client(secret: exposed.bytes, now: 0) == .failure(.unknownSecret))
    }
    #expect(!book.knows("roof"))
  }

  @Test func whatCameInTheClearEndsTheClientThatHasItThen() {
    var book = AccessBook()
    // A reload has named a second secret, or has taken the client away, since the credential came.
    for named in [[configured(secret.digest, next: other.digest)], []] {
      book = AccessBook()
      book.configured = named
      let outcome = book.expose(secret.digest)
      #expect(outcome.isNew && outcome.ended == named.first?.name)
      book.configured = [configured(secret.digest)]
      #expect(book.client(secret: secret.bytes, now: 0) == .failure(.unknownSecret))
    }
    var paired = self.book()
    _ = pair(&paired, secret)
    let name = paired.clients.first?.name
    let outcome = paired.expose(secret.digest)
    #expect(outcome.isNew && outcome.ended == name && paired.clients.isEmpty && paired.exposed.isEmpty)
  }

  @Test func anExposedSecretStaysInvalidWhileItsFileIsBroken() {
    var book = AccessBook(exposed: [secret.digest])
    book.configured = [KnownClient(name: "door", secret: other.digest, grants: [AccessGrant(.view)])]
    let isNew = book.expose(other.digest).isNew
    #expect(isNew && book.exposed == [secret.digest, other.digest])
    // Once there are many, those that no file names are forgotten.
    var full = AccessBook(exposed: (0..<AccessBook.mostClients).map { Digest(of: "\($0)".utf8) })
    full.configured = book.configured
    let isNewAgain = full.expose(other.digest).isNew
    #expect(isNewAgain && full.exposed == [other.digest])
  }

  @Test func replacedSecretsThatNoFileNamesAreForgottenOnceThereAreMany() {
    let many = (0..<AccessBook.mostClients).map { Digest(of: "\($0)".utf8) }
    var book = AccessBook(replaced: many)
    book.configured = [
      configured(secret.digest, next: other.digest),
      KnownClient(name: "door", secret: many[7], grants: [AccessGrant(.view)]),
    ]
    _ = book.endSecret(replacedBy: other.digest)
    #expect(book.replaced == [many[7], secret.digest])
  }

  @Test func twoOfOneNameAreToldApart() {
    var book = book()
    _ = pair(&book, secret)
    _ = book.add(code: [1], grants: [AccessGrant(.view)], name: "", clientSeconds: nil, boottime: 100)
    _ = book.pair(code: [1], secret: other.digest, name: "laptop", now: 0, boottime: 200)
    #expect(book.clients.map(\.name) == ["laptop", "laptop-2"])
  }

  @Test func aSecretIsShownNowhere() {
    let secret = Secret.make()
    var text = ""
    dump(secret, to: &text)
    #expect(!("\(secret) \(String(reflecting: secret)) \(text)".contains(secret.bytes.hexadecimal)))
    #expect(!text.contains("\(secret.bytes[0]), \(secret.bytes[1])"))
  }
}
