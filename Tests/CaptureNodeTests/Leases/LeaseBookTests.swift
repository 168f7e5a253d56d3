import CaptureModel
import Glibc
import Testing

@testable import CaptureNode

@Suite struct LeaseBookTests {
  private static let camera = CameraID(rawValue: "cam")
  private static let other = CameraID(rawValue: "other")
  private static let second: UInt64 = 1_000_000_000
  private var book = LeaseBook()

  private func token(_ name: String) -> LeaseToken { LeaseToken(rawValue: name) }

  private mutating func acquire(
    _ ticket: UInt64, _ name: String, camera: CameraID = camera, seconds: Int = 30, patience: Int = 0,
    connection: UInt64? = nil, owner: String = "", at now: UInt64
  ) -> [LeaseBook.Answer] {
    book.acquire(
      LeaseRequest(
        camera: camera, holder: name, duration: .seconds(seconds), patience: .seconds(patience),
        connection: connection, owner: owner),
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
    #expect(book.leasedCameraCount(at: 0) == 0)
  }

  @Test mutating func othersAreRefusedNamingTheHolderAndTheTimeLeft() {
    #expect(outcomes(acquire(1, "studio-a", at: 0)) == ["1 studio-a"])
    let refusal =
      "failedPrecondition: camera 'cam' is leased by studio-a for another 20.0 s; wait for it, or use its token"
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
        "3 failedPrecondition: the lease of camera 'cam' expired 3.0 s ago; acquire a new one"
      ])
    #expect(
      outcomes(enter(4, ["b"], at: 13)) == [
        "4 failedPrecondition: the lease is of camera 'other', not of 'cam'"
      ])
    _ = try book.release(token("b"), at: 14 * Self.second)
    #expect(outcomes(enter(5, ["b"], at: 14))[0].contains("was given back 0.0 s ago"))
    #expect(outcomes(enter(6, ["guess"], at: 14))[0].contains("no such lease"))
    #expect(throws: CaptureError.self) { try book.release(token("b"), at: 14 * Self.second) }
  }

  @Test mutating func oneOfSeveralTokensHasToBeOfTheCamera() {
    _ = acquire(1, "a", at: 0)
    _ = acquire(2, "b", camera: Self.other, at: 0)
    #expect(outcomes(enter(3, ["b", "a"], at: 1)) == ["3 runs"])
    #expect(outcomes(enter(4, ["b", "gone"], at: 1))[0].contains("no such lease"))
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

  /// Nothing of it is renewed: it ends with its connection, at its time.
  @Test mutating func aLeaseIsNotRenewedForAnotherCamera() throws {
    _ = acquire(1, "a", seconds: 10, connection: 7, at: 0)
    #expect {
      try book.renew(token("a"), of: Self.other, by: 9, outlivesConnection: true, at: 9 * Self.second)
    } throws: {
      "\($0)".contains("the lease is of camera 'cam', not of 'other'")
    }
    let lease = try #require(book.leases(at: 9 * Self.second).first)
    #expect(lease.connection == 7 && lease.expiry == 10 * Self.second)
    #expect(try book.renew(token("a"), of: Self.camera, at: 9 * Self.second).expiry == 19 * Self.second)
  }

  // MARK: Connections, force

  @Test mutating func aLeaseEndsWithTheAccessOfItsClient() throws {
    _ = acquire(1, "a", owner: "studio", at: 0)
    _ = acquire(2, "b", camera: Self.other, owner: "lab", at: 0)
    #expect(book.clientsRevoked(["studio"], at: 2 * Self.second).isEmpty)
    #expect(book.leases(at: 2 * Self.second).map(\.holder) == ["b"])
    #expect(
      outcomes(enter(3, ["a"], at: 5)) == [
        "3 failedPrecondition: the lease of camera 'cam' ended with the access of its client 3.0 s ago; acquire a new one"
      ])
  }

  @Test mutating func aLeaseEndsWithItsConnection() throws {
    _ = acquire(1, "a", connection: 7, at: 0)
    _ = acquire(2, "b", camera: Self.other, connection: 8, at: 0)
    #expect(acquire(3, "c", patience: 60, at: 1).isEmpty)
    #expect(outcomes(book.connectionClosed(7, at: 2 * Self.second)) == ["3 c"])
    #expect(book.leases(at: 2 * Self.second).map(\.holder) == ["c", "b"])
    #expect(
      outcomes(enter(4, ["a"], at: 5)) == [
        "4 failedPrecondition: the lease of camera 'cam' ended with its connection 3.0 s ago; acquire a new one"
      ])
    // One that outlives its connection ends with none.
    #expect(book.connectionClosed(0, at: 5 * Self.second).isEmpty)
    #expect(book.leases(at: 5 * Self.second).map(\.holder) == ["c", "b"])
  }

  /// A client that was cut off comes back with its token before the node has seen that its first connection is gone.
  @Test mutating func aRenewedLeaseEndsWithTheConnectionThatRenewedIt() throws {
    _ = acquire(1, "a", connection: 7, at: 0)
    #expect(try book.renew(token("a"), by: 9, at: 1 * Self.second).connection == 9)
    #expect(book.connectionClosed(7, at: 2 * Self.second).isEmpty)
    #expect(book.leases(at: 2 * Self.second).map(\.holder) == ["a"])
    _ = book.connectionClosed(9, at: 3 * Self.second)
    #expect(book.leases(at: 3 * Self.second).isEmpty)
  }

  @Test mutating func aLeaseThatOutlivesItsConnectionStaysSoForALimitedTime() throws {
    _ = acquire(1, "a", seconds: 3_600, connection: 7, at: 0)
    #expect(try book.renew(token("a"), by: 7, at: 0).duration == .seconds(3_600))
    let stays = try book.renew(token("a"), by: 8, outlivesConnection: true, at: 0)
    #expect(stays.connection == nil)
    #expect(stays.duration == .seconds(600))
    #expect(try book.renew(token("a"), for: .seconds(500), by: 9, at: 0).connection == nil)
    #expect {
      _ = try book.renew(token("a"), for: .seconds(601), at: 0)
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == .invalidArgument && error?.message.contains("10 min") == true
        && error?.message.contains("leases.maximum") == true
    }
    #expect(throws: CaptureError.self) {
      try LeaseRequest(camera: Self.camera, holder: "a", duration: .seconds(601)).validate()
    }
    try LeaseRequest(camera: Self.camera, holder: "a", duration: .seconds(601), connection: 1).validate()
    #expect(book.connectionClosed(7, at: 1).isEmpty)
    #expect(book.leases(at: 1).map(\.holder) == ["a"])
  }

  @Test mutating func aLeaseThatIsEndedByForceSaysByWhom() throws {
    _ = acquire(1, "a", at: 0)
    #expect(acquire(2, "b", patience: 60, at: 1).isEmpty)
    let freed = try book.free(Self.camera, by: "anna", at: 2 * Self.second)
    #expect(freed.lease.holder == "a")
    #expect(outcomes(freed.answers) == ["2 b"])
    let reason =
      "the lease of camera 'cam' was ended by force by anna 2.0 s ago; acquire a new one"
    #expect(outcomes(enter(3, ["a"], at: 4)) == ["3 aborted: \(reason)"])
    let attempts: [(inout LeaseBook) throws -> Void] = [
      { _ = try $0.renew(LeaseToken(rawValue: "a"), at: 4 * Self.second) },
      { _ = try $0.release(LeaseToken(rawValue: "a"), at: 4 * Self.second) },
    ]
    for attempt in attempts {
      #expect {
        try attempt(&book)
      } throws: {
        ($0 as? CaptureError)?.code == .aborted && ($0 as? CaptureError)?.message == reason
      }
    }
    #expect(throws: CaptureError.self) { try book.free(Self.other, by: "anna", at: 4 * Self.second) }
  }

  /// Each is refused in the moment in which a lease ends for which somebody waits.
  @Test(arguments: [
    "free", "free at its end", "release", "release of another", "renew", "renew for too long",
  ])
  mutating func whatIsRefusedTakesNobodysAnswer(_ what: String) {
    let free = CameraID(rawValue: "free")
    _ = acquire(1, "a", seconds: 10, at: 0)
    _ = acquire(2, "b", camera: Self.other, at: 0)
    #expect(acquire(3, "c", patience: 60, at: 1).isEmpty)
    let end = 10 * Self.second
    #expect(throws: CaptureError.self) {
      switch what {
      case "free": _ = try book.free(free, by: "anna", at: end)
      case "free at its end": _ = try book.free(Self.camera, by: "anna", at: end)
      case "release": _ = try book.release(token("a"), at: end)
      case "release of another": _ = try book.release(token("b"), of: free, at: end)
      case "renew": _ = try book.renew(token("a"), at: end)
      default: _ = try book.renew(token("b"), for: .seconds(1_000), at: end)
      }
    }
    #expect(outcomes(book.advance(to: end)) == ["3 c"])
    #expect(book.leases(at: end).map(\.holder) == ["c", "b"])
  }

  @Test mutating func forceLeavesAChangeThatIsBeingAppliedItsTime() throws {
    _ = acquire(1, "a", at: 0)
    _ = enter(2, ["a"], at: 1)
    #expect(acquire(3, "b", at: 1).count == 1)
    #expect(try book.free(Self.camera, by: "anna", at: 2 * Self.second).answers.isEmpty)
    // Nobody comes between: not the one who freed it either.
    #expect(enter(4, at: 2).isEmpty)
    #expect(acquire(5, "anna", at: 2).isEmpty)
    #expect(outcomes(book.leave(2, at: 3)) == ["4 runs"])
    #expect(outcomes(book.leave(4, at: 3)) == ["5 anna"])
  }

  @Test mutating func whoTookALeaseIsRememberedForTheLatest() throws {
    for number in 0..<100 as Range<UInt64> {
      _ = acquire(number, "a\(number)", at: number)
      _ = try book.free(Self.camera, by: "anna", at: number * Self.second)
      for other in 0..<3 as Range<UInt64> {
        _ = acquire(1_000 + number * 3 + other, "o\(number).\(other)", camera: Self.other, at: number)
        _ = try book.release(token("o\(number).\(other)"), at: number * Self.second)
      }
    }
    #expect(outcomes(enter(5_000, ["a99"], at: 100))[0].contains("by force by anna"))
    #expect(outcomes(enter(5_001, ["a40"], at: 100))[0].contains("by force by anna"))
    #expect(outcomes(enter(5_002, ["a20"], at: 100))[0].contains("no such lease"))
  }

  // MARK: Crowds

  @Test mutating func soManyMayWaitForACamera() {
    _ = acquire(1, "a", at: 0)
    for ticket in 2..<258 as Range<UInt64> {
      #expect(acquire(ticket, "b", patience: 60, at: 0).isEmpty)
    }
    #expect(
      outcomes(acquire(300, "c", patience: 60, at: 0)) == [
        "300 resourceExhausted: 256 calls wait for camera 'cam' or for a lease of it, and no more may (leaseWaiters; leases.waiters)"
      ])
    // The holder does not wait in that line; nor does who is at another camera.
    #expect(outcomes(enter(301, ["a"], at: 0)) == ["301 runs"])
    #expect(outcomes(acquire(302, "d", camera: Self.other, patience: 60, at: 0)) == ["302 d"])
    #expect(book.withdraw(100, at: 0).isEmpty)
    #expect(acquire(303, "c", patience: 60, at: 0).isEmpty)
  }

  /// Those who come and go in any order are served in the order in which they came, each at the end of its patience.
  @Test mutating func aLineIsServedInOrderWhoeverLeavesIt() throws {
    _ = acquire(1, "a", seconds: 1_000, at: 0)
    var generator = SystemRandomNumberGenerator()
    var waiting: [(ticket: UInt64, until: UInt64)] = []
    var next: UInt64 = 2
    for now in 1..<400 as Range<UInt64> {
      for _ in 0..<3 where waiting.count < 250 {
        let patience = UInt64.random(in: 1...100, using: &generator)
        #expect(acquire(next, "w\(next)", patience: Int(patience), at: now).isEmpty)
        waiting.append((next, now + patience))
        next += 1
      }
      if let place = waiting.indices.randomElement(using: &generator) {
        #expect(book.withdraw(waiting.remove(at: place).ticket, at: now * Self.second).isEmpty)
      }
      let due = waiting.map(\.until).min()
      #expect(book.nextEvent(after: now * Self.second) == due.map { min($0, 1_000) * Self.second })
      let over = Set(book.advance(to: (now + 1) * Self.second).map(\.ticket))
      #expect(over == Set(waiting.filter { $0.until <= now + 1 }.map(\.ticket)))
      waiting.removeAll { $0.until <= now + 1 }
    }
    var holder = "a"
    for waiter in waiting {
      #expect(
        outcomes(try book.release(token(holder), at: 400 * Self.second)) == [
          "\(waiter.ticket) w\(waiter.ticket)"
        ])
      holder = "w\(waiter.ticket)"
    }
    _ = try book.release(token(holder), at: 400 * Self.second)
    #expect(book.leasedCameraCount(at: 400 * Self.second) == 0)
  }

  /// Ten thousand come, wait and go in well under what one of them took when each was looked through for the others.
  @Test mutating func aCrowdCostsAsMuchAsItsMembers() {
    var limits = LeaseLimits()
    limits.waiters = 1_000_000
    /// The thread's time on a processor, since others may have the processor meanwhile.
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    func seconds(_ count: UInt64) -> Double {
      var book = LeaseBook(limits: limits)
      let start = now()
      for ticket in 1...count {
        _ = book.acquire(
          LeaseRequest(camera: Self.camera, holder: "a", patience: .seconds(Int(ticket % 977) + 1)),
          as: ticket,
          token: LeaseToken(rawValue: "\(ticket)"), at: 0)
        _ = book.nextEvent(after: 0)
      }
      for ticket in (2...count).reversed() where ticket % 2 == 0 { _ = book.withdraw(ticket, at: 0) }
      for now in 1...1_000 as ClosedRange<UInt64> { _ = book.advance(to: now * Self.second) }
      return now() - start
    }
    _ = seconds(100)
    let (few, many) = (seconds(2_000), seconds(32_000))
    // Sixteen times as many; two hundred and fifty-six times as long where each looks at the others.
    #expect(many < 80 * max(few, 0.001), "\(few) s, \(many) s")
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
    // One character of a thousand accents.
    #expect(
      refusal(LeaseRequest(camera: Self.camera, holder: "e" + String(repeating: "\u{301}", count: 1000)))
        != nil)
  }

  @Test func tokensAre128RandomBits() {
    let tokens = Set((0..<1000).map { _ in LeaseToken.random().rawValue })
    #expect(tokens.count == 1000)
    #expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }
}
