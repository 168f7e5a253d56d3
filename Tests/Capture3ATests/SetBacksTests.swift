import CaptureModel
import Testing

@testable import Capture3A

@Suite struct SetBacksTests {
  private static func focus(_ position: Double) -> SettingsChange {
    var change = SettingsChange()
    change.focus.lensPosition = position
    return change
  }

  private static func exposure(_ duration: Double?, _ gain: Double?) -> SettingsChange {
    var change = SettingsChange()
    (change.exposure.duration, change.exposure.gain) = (duration, gain)
    return change
  }

  /// Fails what is due now. Returns what is to be told.
  private func refuse(_ setBacks: inout SetBacks, framesCome: Bool = true) throws -> SetBacks.Refusal? {
    let item = try #require(setBacks.next)
    return setBacks.failed(item.number, .refusal(framesCome: framesCome))
  }

  @Test func whatIsRefusedIsTriedAgainAfterTwiceAsManyFramesEachTime() throws {
    var setBacks = SetBacks()
    setBacks.add(Self.focus(0.2))
    var waits: [Int] = []
    while try refuse(&setBacks) == nil {
      waits.append(0)
      while setBacks.next == nil {
        setBacks.frameCame()
        waits[waits.count - 1] += 1
      }
    }
    #expect(waits == [1, 2, 4, 8, 16, 32])
    #expect(setBacks.isEmpty && waits.count + 1 == SetBacks.mostTries)
  }

  @Test func whatIsGivenUpIsToldOnce() throws {
    var setBacks = SetBacks()
    setBacks.add(Self.focus(0.2))
    var told: [SetBacks.Refusal] = []
    while !setBacks.isEmpty {
      if let refusal = try refuse(&setBacks) { told.append(refusal) }
      for _ in 0..<32 { setBacks.frameCame() }
    }
    #expect(told.map(\.isFinal) == [true] && told.first?.change == Self.focus(0.2))
  }

  /// A gain that is refused keeps back no duration.
  @Test func anExposureThatIsRefusedIsTakenApart() throws {
    var setBacks = SetBacks()
    setBacks.add(Self.exposure(0.01, 16))
    #expect(setBacks.exposure(isRefused: false) == Self.exposure(0.01, 16).exposure)
    #expect(try refuse(&setBacks) == nil)
    #expect(setBacks.exposure(isRefused: true) == Self.exposure(0.01, 16).exposure)
    let duration = try #require(setBacks.next)
    #expect(duration.change == Self.exposure(0.01, nil))
    #expect(setBacks.succeeded(duration.number)?.refusals == 1)
    #expect(setBacks.next?.change == Self.exposure(nil, 16))
    #expect(try refuse(&setBacks) == nil)
    #expect(setBacks.next == nil && setBacks.owes(.exposure))
  }

  @Test func whatIsNewerReplacesWhatIsDue() throws {
    var setBacks = SetBacks()
    setBacks.add(Self.focus(0.2))
    let old = try #require(setBacks.next)
    setBacks.add(Self.focus(0.3))
    #expect(setBacks[old.number] == nil && setBacks.next?.change == Self.focus(0.3))
    // The old one was under way.
    #expect(setBacks.failed(old.number, .refusal(framesCome: true)) == nil)
    #expect(setBacks.succeeded(old.number) == nil)
    #expect(setBacks.next?.change == Self.focus(0.3) && setBacks.next?.refusals == 0)
    #expect(setBacks.remove(.exposure).isEmpty && setBacks.remove(.focus) == Self.focus(0.3))
    #expect(setBacks.isEmpty)
  }

  @Test func whatBecomesDueWhileTheRestIsTakenIsNewer() {
    var setBacks = SetBacks()
    setBacks.add(Self.focus(0.2))
    setBacks.add(Self.exposure(0.01, 16))
    let taken = setBacks.takeAll()
    #expect(setBacks.isEmpty)
    setBacks.add(Self.focus(0.3))
    setBacks.putBack(taken)
    #expect(setBacks.remove(.exposure) == Self.exposure(0.01, 16))
    #expect(setBacks.next?.change == Self.focus(0.3))
    setBacks.remove(.focus)
    #expect(setBacks.isEmpty)
  }

  @Test func withoutFramesItIsToldOnceAndWaitsForThem() throws {
    var setBacks = SetBacks()
    setBacks.add(Self.focus(0.2))
    #expect(try refuse(&setBacks) == nil)
    #expect(setBacks.next == nil)
    setBacks.streamEnded()
    #expect(try refuse(&setBacks, framesCome: false)?.isFinal == false)
    #expect(setBacks.next == nil)
    setBacks.streamEnded()
    #expect(try refuse(&setBacks, framesCome: false) == nil)
    for _ in 0..<4 { setBacks.frameCame() }
    #expect(setBacks.next?.change == Self.focus(0.2))
  }

  @Test func theAbsenceOfTheCameraIsNoRefusal() throws {
    var setBacks = SetBacks()
    setBacks.add(Self.focus(0.2))
    for _ in 0..<20 {
      #expect(setBacks.failed(try #require(setBacks.next).number, .absence) == nil)
      #expect(setBacks.next == nil)
      setBacks.frameCame()
    }
    #expect(setBacks.next?.refusals == 0)
  }

  // MARK: Modes of the camera's own

  private static func ownExposure(_ duration: Double?, _ gain: Double?) -> SettingsChange {
    var change = exposure(duration, gain)
    change.exposure.mode = .continuous
    return change
  }

  /// A value that is refused keeps back no mode, and is set under it.
  @Test func aModeThatIsRefusedIsTakenFromItsValues() throws {
    var setBacks = SetBacks()
    setBacks.add(Self.ownExposure(nil, 16))
    #expect(try refuse(&setBacks) == nil)
    let mode = try #require(setBacks.next)
    #expect(mode.change == Self.ownExposure(nil, nil))
    #expect(setBacks.succeeded(mode.number)?.refusals == 1)
    #expect(setBacks.next?.change == Self.ownExposure(nil, 16))
  }

  @Test func theValuesOfAModeThatIsGivenUpAreSetWithoutIt() throws {
    var setBacks = SetBacks()
    setBacks.add(Self.ownExposure(0.01, 16))
    var told: [SetBacks.Refusal] = []
    for _ in 0..<64 where told.isEmpty {
      while told.isEmpty, setBacks.next != nil {
        if let refusal = try refuse(&setBacks) { told.append(refusal) }
      }
      if told.isEmpty { setBacks.frameCame() }
    }
    #expect(told.map(\.change) == [Self.ownExposure(nil, nil)] && told.first?.isFinal == true)
    #expect(told.first?.change.searchedSettings == [.exposureDuration, .gain])
    let duration = try #require(setBacks.next)
    #expect(duration.change == Self.exposure(0.01, nil))
    #expect(setBacks.succeeded(duration.number)?.refusals == 0)
    #expect(setBacks.next?.change == Self.exposure(nil, 16))
  }

  /// Its next step would drop what is due otherwise.
  @Test(arguments: [false, true])
  func aSearchThatBorrowsMeanwhileHasAllThatTheCameraGetsBack(isRefusedBefore: Bool) throws {
    var loop = SoftwareLoop()
    loop.setBacks.add(Self.ownExposure(0.01, 16))
    if isRefusedBefore { _ = try refuse(&loop.setBacks) }
    let taken = loop.takeSetBacks()
    loop.threeA.focus = FocusSearch()
    loop.threeA.focus?.set(.auto)
    loop.borrowing.borrower = .focus
    #expect(loop.putBack(taken, .absence).isEmpty)
    #expect(loop.setBacks.isEmpty && loop.owedExposure == Self.ownExposure(0.01, 16).exposure)
    #expect(loop.ownModes == Self.ownExposure(nil, nil))
  }

  /// The camera was away when it was due.
  @Test func whatIsDueWhenTheCameraReturnsStaysDueWithItsValues() {
    var loop = SoftwareLoop()
    loop.setBacks.add(Self.ownExposure(nil, 16))
    var asked = SoftwareRequest()
    (asked.focus, asked.exposure) = (.release, .release)
    asked.focus?.owed = .init(mode: .continuous)
    asked.exposure?.owed = .init(mode: .continuous)
    #expect(loop.ownModes == Self.ownExposure(nil, nil))
    let request = loop.resuming(asked)
    #expect(request.focus == asked.focus && request.exposure == nil)
    _ = loop.apply(request)
    #expect(loop.setBacks.remove(.exposure) == Self.ownExposure(nil, 16))
    #expect(loop.setBacks.owes(.focus))
  }
}
