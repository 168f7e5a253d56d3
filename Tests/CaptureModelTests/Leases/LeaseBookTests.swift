import CaptureModel
import Testing

@Suite struct LeaseBookTests {
  private static let camera = CameraID(rawValue: "cam")
  private static let other = CameraID(rawValue: "other")
  private static let second: UInt64 = 1_000_000_000
  private var book = LeaseBook()

  private func token(_ name: String) -> LeaseToken { LeaseToken(rawValue: name) }

  private mutating func acquire(
    _ ticket: UInt64, _ name: String, camera: CameraID = camera, seconds: Int = 30, patience: Int = 0,
    at now: UInt64
  ) -> [LeaseBook.Answer] {
    book.acquire(
      LeaseRequest(
        camera: camera, holder: name, duration: .seconds(seconds), patience: .seconds(patience)),
      as: ticket, token: token(name), at: now * Self.second)
  }

  private mutating func enter(
    _ ticket: UInt64, _ tokens: [String] = [], cameras: [CameraID] = [camera], occupation: String? = nil,
    at now: UInt64
  ) -> [LeaseBook.Answer] {
    let claim = LeaseClaim(
      tokens: tokens.map { token($0) }, cameras: cameras,
      occupation: occupation.map { LeaseClaim.Occupation($0, holder: "client \(ticket)") })
    return book.enter(claim, camera: cameras[0], as: ticket, at: now * Self.second)
  }

  private func outcomes(_ answers: [LeaseBook.Answer]) -> [String] {
    answers.map { answer in
      switch answer.result {
      case .success(let lease): "\(answer.ticket) \(lease?.holder ?? "runs")"
      case .failure(let error): "\(answer.ticket) \(error.code): \(error.message)"
      }
    }
  }

  @Test mutating func callsWithoutALeaseTakeTurns() {
    #expect(outcomes(enter(1, at: 0)) == ["1 runs"])
    #expect(enter(2, at: 0).isEmpty)
    #expect(enter(3, at: 0).isEmpty)
    #expect(outcomes(enter(4, cameras: [Self.other], at: 0)) == ["4 runs"])
    #expect(outcomes(book.leave(1, at: 0)) == ["2 runs"])
    #expect(book.withdraw(3, at: 0).isEmpty)
    #expect(book.leave(2, at: 0).isEmpty)
    #expect(book.leave(4, at: 0).isEmpty)
    #expect(book.heldCameras(at: 0) == 0)
  }

  @Test mutating func othersAreRefusedNamingTheHolderAndTheTimeLeft() {
    #expect(outcomes(acquire(1, "studio-a", at: 0)) == ["1 studio-a"])
    let refusal =
      "failedPrecondition: camera 'cam' is leased by studio-a for another 20.0 s; wait for it, or use its token with --lease"
    #expect(outcomes(enter(2, at: 10)) == ["2 \(refusal)"])
    #expect(outcomes(acquire(3, "studio-b", at: 10)) == ["3 \(refusal)"])
    #expect(outcomes(enter(4, ["studio-a"], at: 10)) == ["4 runs"])
    // The holder may make several calls at once.
    #expect(outcomes(enter(5, ["studio-a"], at: 10)) == ["5 runs"])
  }

  @Test mutating func aTokenThatIsNoLongerValidIsRefusedSayingWhy() throws {
    _ = acquire(1, "a", seconds: 10, at: 0)
    _ = acquire(2, "b", camera: Self.other, at: 0)
    #expect(
      outcomes(enter(3, ["a"], at: 13)) == [
        "3 failedPrecondition: the lease of camera 'cam' expired 3.0 s ago; acquire a new one ('capturectl lock')"
      ])
    #expect(
      outcomes(enter(4, ["b"], at: 13)) == [
        "4 failedPrecondition: the lease is of camera 'other', not of 'cam'"
      ])
    _ = try book.release(token("b"), at: 14 * Self.second)
    #expect(outcomes(enter(5, ["b"], at: 14))[0].contains("was given back 0.0 s ago"))
    #expect(outcomes(enter(6, ["guess"], at: 14))[0].contains("never given"))
    #expect(throws: CaptureError.self) { try book.release(token("b"), at: 14 * Self.second) }
  }

  @Test mutating func oneOfSeveralTokensHasToBeOfTheCamera() {
    _ = acquire(1, "a", at: 0)
    _ = acquire(2, "b", camera: Self.other, at: 0)
    #expect(outcomes(enter(3, ["b", "a"], at: 1)) == ["3 runs"])
    #expect(outcomes(enter(4, ["b", "gone"], at: 1))[0].contains("never given"))
    // A call on both cameras with the token of one.
    #expect(outcomes(enter(5, ["b"], cameras: [Self.camera, Self.other], at: 1))[0].contains("leased by a"))
  }

  @Test mutating func wishesWaitInOrderAsLongAsTheyAreWillingTo() throws {
    _ = acquire(1, "a", seconds: 30, at: 0)
    #expect(acquire(2, "b", seconds: 30, patience: 40, at: 0).isEmpty)
    #expect(acquire(3, "c", seconds: 30, patience: 5, at: 0).isEmpty)
    #expect(acquire(4, "d", seconds: 30, patience: 40, at: 1).isEmpty)
    #expect(book.nextEvent(after: 0) == 5 * Self.second)
    #expect(outcomes(book.advance(to: 5 * Self.second))[0].hasPrefix("3 failedPrecondition: camera 'cam'"))
    #expect(book.nextEvent(after: 5 * Self.second) == 30 * Self.second)
    #expect(outcomes(book.advance(to: 30 * Self.second)) == ["2 b"])
    #expect(outcomes(try book.release(token("b"), at: 31 * Self.second)) == ["4 d"])
  }

  @Test mutating func aLeaseWaitsForCallsThatRunWhateverItsPatience() {
    _ = enter(1, at: 0)
    #expect(acquire(2, "a", at: 0).isEmpty)
    #expect(enter(3, at: 0).isEmpty)
    let answers = outcomes(book.leave(1, at: 1))
    #expect(answers.count == 2)
    #expect(answers[0] == "2 a")
    #expect(answers[1].hasPrefix("3 failedPrecondition: camera 'cam' is leased by a for another 30.0 s"))
  }

  @Test mutating func aCallUnderALeaseIsNotCutShortByItsExpiry() {
    _ = acquire(1, "a", seconds: 10, at: 0)
    _ = enter(2, ["a"], at: 9)
    #expect(enter(3, at: 11).isEmpty)
    #expect(outcomes(book.leave(2, at: 12)) == ["3 runs"])
  }

  @Test mutating func anOccupationRefusesOthersAtOnce() {
    _ = enter(1, occupation: "being calibrated", at: 0)
    let refusal = "failedPrecondition: camera 'cam' is being calibrated for client 1; wait for its end"
    #expect(outcomes(enter(2, at: 1)) == ["2 \(refusal)"])
    #expect(acquire(3, "a", patience: 5, at: 1).isEmpty)
    #expect(outcomes(acquire(4, "b", at: 1)) == ["4 \(refusal)"])
    #expect(outcomes(book.leave(1, at: 2)) == ["3 a"])
  }

  @Test mutating func renewingStartsTheTimeAnew() throws {
    _ = acquire(1, "a", seconds: 10, at: 0)
    #expect(try book.renew(token("a"), at: 9 * Self.second).expiry == 19 * Self.second)
    #expect(try book.renew(token("a"), for: .seconds(2), at: 18 * Self.second).expiry == 20 * Self.second)
    #expect(book.leases(at: 19 * Self.second).map(\.holder) == ["a"])
    #expect(book.leases(at: 20 * Self.second).isEmpty)
    #expect(throws: CaptureError.self) { try book.renew(token("a"), at: 21 * Self.second) }
  }

  @Test func durationsAndNamesOutOfRangeAreRefused() {
    func refusal(_ request: LeaseRequest) -> String? {
      do throws(CaptureError) {
        try request.validate()
        return nil
      } catch {
        return error.message
      }
    }
    #expect(refusal(LeaseRequest(camera: Self.camera, holder: "a")) == nil)
    #expect(
      refusal(LeaseRequest(camera: Self.camera, holder: "a", duration: .milliseconds(99)))
        == "a lease lasts 100 to 86400000 ms, not 99 ms")
    #expect(refusal(LeaseRequest(camera: Self.camera, holder: "a", duration: .seconds(86_401))) != nil)
    #expect(refusal(LeaseRequest(camera: Self.camera, holder: String(repeating: "é", count: 101))) != nil)
  }

  @Test func tokensAre128RandomBits() {
    let tokens = Set((0..<1000).map { _ in LeaseToken.random().rawValue })
    #expect(tokens.count == 1000)
    #expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }
}
