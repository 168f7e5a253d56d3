import Testing

@testable import CaptureTransport

@Suite struct ConnectionDeadlinesTests {
  private typealias Deadlines = ConnectionDeadlines
  private static let second: UInt64 = 1_000_000_000
  /// Nothing but what the protocol has due.
  private static let nothing = Deadlines.Action.work(resumesReading: false, looksForLateFrames: false)

  @Test func whereNothingElseIsDueTheProtocolsTimesCount() {
    var deadlines = Deadlines()
    #expect(deadlines.next(protocolDue: 50) == 50)
    #expect(deadlines.next(protocolDue: .max) == .max)
    #expect(deadlines.fired(at: 50) == Self.nothing)
  }

  // MARK: Who it is

  @Test func whoDoesNotIdentifyItselfInTimeIsEnded() {
    var deadlines = Deadlines()
    deadlines.awaitIdentity(until: 100)
    #expect(deadlines.next(protocolDue: 50) == 50)
    #expect(deadlines.next(protocolDue: 200) == 100)
    #expect(deadlines.fired(at: 99) == Self.nothing)
    #expect(deadlines.fired(at: 100) == .endUnknown)
  }

  @Test(arguments: [false, true]) func onlyWhoIsKnownHasIdentifiedItself(isKnown: Bool) {
    var deadlines = Deadlines()
    deadlines.awaitIdentity(until: 100)
    deadlines.identified(isKnown: isKnown, expiry: nil)
    #expect(deadlines.next(protocolDue: 200) == (isKnown ? 200 : 100))
    #expect(deadlines.fired(at: 100) == (isKnown ? Self.nothing : .endUnknown))
  }

  @Test func whileAnAnswerIsDelayedNothingElseIsDue() {
    var deadlines = Deadlines()
    deadlines.awaitIdentity(until: 100)
    deadlines.pauseReading(until: 20)
    deadlines.planLook(from: 0)
    deadlines.delayAnswer(until: 80)
    #expect(deadlines.next(protocolDue: 10) == 80)
    #expect(deadlines.fired(at: 79) == .wait)
    #expect(deadlines.isAnswerDelayed && deadlines.isPaused)
    #expect(deadlines.fired(at: 80) == .sendDelayedAnswer)
    #expect(!deadlines.isAnswerDelayed)
    #expect(deadlines.next(protocolDue: 10) == 10)
    #expect(deadlines.fired(at: 81) == .work(resumesReading: true, looksForLateFrames: false))
  }

  @Test func noAnswerIsDelayedPastTheTimeToIdentify() {
    var deadlines = Deadlines()
    deadlines.awaitIdentity(until: 100)
    deadlines.delayAnswer(until: 200)
    #expect(deadlines.next(protocolDue: .max) == 100)
    #expect(deadlines.fired(at: 100) == .endUnknown)
    // The reason is written before the connection ends.
    #expect(!deadlines.isAnswerDelayed)
  }

  // MARK: Its work

  @Test func aPauseEndsOnceAndIsNotShortened() {
    var deadlines = Deadlines()
    deadlines.pauseReading(until: 100)
    deadlines.pauseReading(until: 50)
    #expect(deadlines.next(protocolDue: 200) == 100)
    #expect(deadlines.fired(at: 99) == Self.nothing)
    #expect(deadlines.isPaused)
    #expect(deadlines.fired(at: 100) == .work(resumesReading: true, looksForLateFrames: false))
    #expect(!deadlines.isPaused)
    #expect(deadlines.next(protocolDue: 200) == 200)
    // The next one may be earlier than the last.
    deadlines.pauseReading(until: 60)
    #expect(deadlines.next(protocolDue: 200) == 60)
  }

  @Test func aLookIsDueOnce() {
    var deadlines = Deadlines()
    #expect(!deadlines.isLookPlanned)
    deadlines.planLook(from: 5)
    let due = 5 + Deadlines.timeBetweenLooks
    #expect(deadlines.isLookPlanned)
    #expect(deadlines.next(protocolDue: .max) == due)
    #expect(deadlines.fired(at: due - 1) == Self.nothing)
    #expect(deadlines.fired(at: due) == .work(resumesReading: false, looksForLateFrames: true))
    #expect(!deadlines.isLookPlanned)
    #expect(deadlines.next(protocolDue: .max) == .max)
    #expect(deadlines.fired(at: due + 1) == Self.nothing)
  }

  /// A right that ends at 1,000 s of the wall clock, 10 s from now.
  private var expiry: Expiry { Expiry(at: 1_000, utc: 990, now: 0) }

  @Test func whoseRightHasEndedIsEnded() {
    var deadlines = Deadlines()
    deadlines.identified(isKnown: true, expiry: expiry)
    #expect(deadlines.next(protocolDue: .max) == 10 * Self.second)
    // Before its time the wall clock does not matter.
    #expect(deadlines.fired(at: 10 * Self.second - 1, utc: 1_000) == Self.nothing)
    #expect(deadlines.fired(at: 10 * Self.second, utc: 1_000) == .endExpired)
  }

  @Test func aWallClockThatWasSetBackDefersTheEndOfARight() {
    var deadlines = Deadlines()
    deadlines.identified(isKnown: true, expiry: expiry)
    #expect(deadlines.fired(at: 10 * Self.second, utc: 995) == Self.nothing)
    #expect(deadlines.next(protocolDue: .max) == 15 * Self.second)
    #expect(deadlines.fired(at: 15 * Self.second, utc: 1_000) == .endExpired)
  }

  @Test func aConnectionThatIsCutDoesNotExpire() {
    var deadlines = Deadlines()
    deadlines.identified(isKnown: true, expiry: expiry)
    deadlines.cut()
    #expect(deadlines.next(protocolDue: .max) == .max)
    #expect(deadlines.fired(at: 10 * Self.second, utc: 1_000) == Self.nothing)
  }

  // MARK: Its end

  @Test func aConnectionThatLingersClosesInTheEnd() {
    var deadlines = Deadlines()
    let isFirst = deadlines.waitForClose(from: 7)
    let isSecond = deadlines.waitForClose(from: 8)
    let due = 7 + Deadlines.usualLinger
    #expect(isFirst && !isSecond)
    #expect(deadlines.next(protocolDue: .max) == due)
    #expect(deadlines.fired(at: due - 1) == Self.nothing)
    #expect(deadlines.fired(at: due) == .close)
  }

  @Test func whileItLingersNeitherTheProtocolNorLooksCount() {
    var deadlines = Deadlines()
    deadlines.planLook(from: 0)
    _ = deadlines.waitForClose(from: 0)
    #expect(deadlines.next(protocolDue: 5) == Deadlines.usualLinger)
    deadlines.pauseReading(until: 30)
    #expect(deadlines.next(protocolDue: 5) == 30)
    deadlines.identified(isKnown: true, expiry: Expiry(at: 1_000, utc: 1_000, now: 20))
    #expect(deadlines.next(protocolDue: 5) == 20)
    deadlines.awaitIdentity(until: 10)
    #expect(deadlines.next(protocolDue: 5) == 10)
  }

  @Test func aCutAndADrainShortenTheWait() {
    var deadlines = Deadlines()
    _ = deadlines.waitForClose(from: 0)
    deadlines.drain()
    let isShortened = deadlines.waitForClose(from: 10)
    #expect(isShortened && deadlines.next(protocolDue: .max) == 10 + Deadlines.lastLinger)
    deadlines.cut()
    let isCut = deadlines.waitForClose(from: 20)
    #expect(isCut && deadlines.next(protocolDue: .max) == 20 + Deadlines.cutLinger)
    // What comes later does not lengthen it.
    deadlines.drain()
    let isLengthened = deadlines.waitForClose(from: 30)
    #expect(!isLengthened && deadlines.next(protocolDue: .max) == 20 + Deadlines.cutLinger)
  }

  @Test func aDrainDelaysNoAnswer() {
    var deadlines = Deadlines()
    deadlines.delayAnswer(until: 80)
    deadlines.drain()
    #expect(!deadlines.isAnswerDelayed)
    #expect(deadlines.fired(at: 80) == Self.nothing)
  }

  /// A timer may fire so late that everything is due.
  @Test func whatEndsTheConnectionComesFirst() {
    let late = 60 * Self.second
    var deadlines = Deadlines()
    deadlines.pauseReading(until: 1)
    deadlines.planLook(from: 0)
    #expect(deadlines.fired(at: late) == .work(resumesReading: true, looksForLateFrames: true))
    deadlines.pauseReading(until: 1)
    deadlines.planLook(from: 0)
    deadlines.identified(isKnown: true, expiry: expiry)
    #expect(deadlines.fired(at: late, utc: 1_000) == .endExpired)
    _ = deadlines.waitForClose(from: 0)
    #expect(deadlines.fired(at: late, utc: 1_000) == .close)
    deadlines.delayAnswer(until: 1)
    #expect(deadlines.fired(at: late, utc: 1_000) == .sendDelayedAnswer)
    deadlines.awaitIdentity(until: 1)
    #expect(deadlines.fired(at: late, utc: 1_000) == .endUnknown)
    // None of these has done the work.
    #expect(deadlines.isPaused && deadlines.isLookPlanned)
  }
}

extension ConnectionDeadlines {
  /// What is due at this time, where no caller's right ends.
  fileprivate mutating func fired(at now: UInt64) -> Action { fired(at: now, utc: 0) }
}
