import CaptureModel
import Testing

@testable import Capture3A

/// Decides without a camera.
@Suite struct SettlingTests {
  private typealias Observation = Settling.Observation
  private static let interval: UInt64 = 33_333_334

  private static func automatic(
    exposure: Settling.Source? = nil, focus: Settling.Source? = nil, whiteBalance: Settling.Source? = nil
  ) -> Settling.Automatic {
    Settling.Automatic(exposure: exposure, focus: focus, whiteBalance: whiteBalance)
  }

  private static func picture(
    _ frame: Int, _ brightness: Double = 0.2, sharpness: Double = 100, red: Double = 0.3,
    isBlank: Bool = false
  ) -> Observation {
    var observation = Observation(time: 1_000_000_000 + UInt64(frame) * interval)
    observation.picture = .reading(
      SettlingReading(brightness: brightness, sharpness: sharpness, red: red, blue: 0.3, isBlank: isBlank))
    return observation
  }

  /// After how many frames it is answered, and how; a thousand are too many.
  private static func answer(
    _ automatic: Settling.Automatic, _ bounds: Settling.Bounds = Settling.Bounds(),
    _ observation: (Int) -> Observation
  ) -> (frames: Int, provenance: Provenance)? {
    var settling = Settling(automatic, bounds)
    for frame in 0..<1000 {
      if let provenance = settling.observe(observation(frame)) { return (settling.frames, provenance) }
    }
    return nil
  }

  @Test func nothingIsWaitedForWhereNothingIsAutomatic() {
    #expect(Settling(Self.automatic()).answer(to: Observation()) == .reported)
  }

  @Test func picturesThatDoNotChangeForFiveFramesHaveSettled() throws {
    let settling = Settling(Self.automatic(exposure: .pictures))
    #expect(settling.answer(to: Observation()) == nil)
    let steady = try #require(Self.answer(Self.automatic(exposure: .pictures)) { Self.picture($0) })
    #expect(steady == (5, .observed))
    // It grows brighter by half until the tenth.
    let late = Self.answer(Self.automatic(exposure: .pictures)) { frame in
      Self.picture(frame, frame < 10 ? 0.01 * Double(frame + 1) : 0.2)
    }
    #expect(try #require(late) == (15, .observed))
  }

  /// A change of settings whose effect begins later: pictures from before it are no witness.
  @Test func picturesFromBeforeAChangeDoNotCount() throws {
    let answer = Self.answer(Self.automatic(exposure: .pictures)) { frame in
      var observation = Self.picture(frame, frame < 6 ? 0.2 : 0.05)
      observation.disturbances = frame < 4 ? 0 : 1
      return observation
    }
    #expect(try #require(answer) == (11, .observed))
  }

  @Test(arguments: [0.019, 0.021]) func twoPercentAreTooMuch(change: Double) throws {
    let found = try #require(
      Self.answer(Self.automatic(exposure: .pictures)) { Self.picture($0, $0 % 2 == 0 ? 1 : 1 - change) })
    #expect(found.provenance == (change < 0.02 ? .observed : .assumed))
  }

  @Test func onlyWhatIsAutomaticIsWatched() {
    func frames(_ automatic: Settling.Automatic, _ observation: (Int) -> Observation) -> Int? {
      Self.answer(automatic, Settling.Bounds(), observation)?.frames
    }
    let sharpening = { (frame: Int) in Self.picture(frame, sharpness: frame < 7 ? Double(frame) : 100) }
    #expect(frames(Self.automatic(exposure: .pictures), sharpening) == 5)
    #expect(frames(Self.automatic(focus: .pictures), sharpening) == 12)
    let reddening = { (frame: Int) in Self.picture(frame, red: frame < 9 ? 0.01 * Double(frame) : 0.3) }
    #expect(frames(Self.automatic(exposure: .pictures, focus: .pictures), reddening) == 5)
    #expect(frames(Self.automatic(whiteBalance: .pictures), reddening) == 14)
  }

  @Test func blackIsNoPictureThatHasSettled() throws {
    let found = Self.answer(Self.automatic(exposure: .pictures)) { frame in
      Self.picture(frame, frame < 8 ? 0 : 0.2, isBlank: frame < 8)
    }
    #expect(try #require(found) == (13, .observed))
    let dark = Self.answer(Self.automatic(exposure: .pictures)) { Self.picture($0, 0, isBlank: true) }
    #expect(try #require(dark).provenance == .assumed)
  }

  @Test func whatNeverRestsIsAssumedAfterTheBound() throws {
    func restless(_ frame: Int) -> Observation { Self.picture(frame, frame % 2 == 0 ? 0.2 : 0.3) }
    // Thirty frames come each second.
    let usual = try #require(Self.answer(Self.automatic(exposure: .pictures), Settling.Bounds(), restless))
    #expect(usual == (61, .assumed))
    let bounds = Settling.Bounds(node: .seconds(1), others: .seconds(1))
    #expect(
      try #require(Self.answer(Self.automatic(exposure: .pictures), bounds, restless)) == (31, .assumed))
    // Times that go back tell nothing.
    var settling = Settling(Self.automatic(exposure: .pictures))
    #expect(settling.observe(restless(9)) == nil)
    #expect(settling.observe(restless(8)) == .assumed)
  }

  @Test func nothingIsWaitedForBeyondTheLastFrameThatThePhotoCanBeOf() throws {
    func restless(_ frame: Int) -> Observation {
      var observation = Self.picture(frame, frame % 2 == 0 ? 0.2 : 0.3)
      (observation.isNodeAtRest, observation.judged) = (false, frame)
      (observation.focusStatus, observation.isLast) = (1, frame >= 3)
      return observation
    }
    for source in [Settling.Source.node, .driver, .pictures] {
      let found = Self.answer(Self.automatic(exposure: .pictures, focus: source), Settling.Bounds(), restless)
      #expect(try #require(found) == (4, .assumed), "\(source)")
    }
    // What is at rest by then has settled.
    let rested = Self.answer(Self.automatic(focus: .driver)) {
      Observation(focusStatus: $0 < 3 ? 1 : 2, isLast: $0 >= 3)
    }
    #expect(try #require(rested) == (4, .reported))
  }

  @Test func framesThatCannotBeMeteredAreWaitedForOnlyWhereSomethingSaysThatItIsAutomatic() throws {
    func unmeterable(_ frame: Int) -> Observation {
      var observation = Observation(time: 1_000_000_000 + UInt64(frame) * Self.interval)
      observation.picture = .unmeterable
      return observation
    }
    let found = Self.answer(Self.automatic(exposure: .pictures), Settling.Bounds(), unmeterable)
    #expect(try #require(found) == (61, .assumed))
    var guessed = Self.automatic(exposure: .pictures)
    guessed.isGuessed = true
    #expect(try #require(Self.answer(guessed, Settling.Bounds(), unmeterable)) == (1, .assumed))
    guessed.isVisible = false
    #expect(Settling(guessed).answer(to: Observation()) == .assumed)
  }

  @Test func aStreamThatHasRunForTheBoundCostsNoWait() {
    let settling = Settling(Self.automatic(exposure: .pictures, whiteBalance: .pictures))
    #expect(settling.answer(to: Observation(steadiness: .milliseconds(1999))) == nil)
    #expect(settling.answer(to: Observation(steadiness: .seconds(2))) == .assumed)
    // What a photo has just seen, it need not see again.
    #expect(settling.answer(to: Observation(sinceSettled: .milliseconds(1999))) == .observed)
    #expect(settling.answer(to: Observation(sinceSettled: .seconds(2))) == nil)
  }

  @Test func theNodesModesSayItThemselves() throws {
    let automatic = Self.automatic(exposure: .node, focus: .node)
    #expect(Settling(automatic).answer(to: Observation(judged: 5)) == .reported)
    // What is at rest has to have seen the stream.
    #expect(Settling(automatic).answer(to: Observation(judged: 4)) == nil)
    #expect(Settling(automatic).answer(to: Observation(isNodeAtRest: false, judged: 90)) == nil)
    // One that ended has found something, or has failed.
    #expect(Settling(automatic).answer(to: Observation(judged: nil)) == .reported)
    let found = Self.answer(automatic) { frame in
      Observation(time: UInt64(frame) * Self.interval, isNodeAtRest: frame >= 200, judged: frame)
    }
    #expect(try #require(found) == (201, .reported))
    let never = Self.answer(automatic) { frame in
      Observation(time: UInt64(frame) * Self.interval, isNodeAtRest: false, judged: frame)
    }
    #expect(try #require(never) == (301, .assumed))
  }

  @Test func theDriversFocusSaysItItself() throws {
    let automatic = Self.automatic(focus: .driver)
    func settled(_ status: @escaping (Int) -> Int64?) throws -> (frames: Int, provenance: Provenance) {
      try #require(
        Self.answer(automatic) { Observation(time: UInt64($0) * Self.interval, focusStatus: status($0)) })
    }
    #expect(Settling(automatic).answer(to: Observation(focusStatus: 2)) == nil)
    #expect(Settling(automatic).answer(to: Observation(steadiness: .seconds(2), focusStatus: 2)) == .reported)
    #expect(Settling(automatic).answer(to: Observation(steadiness: .seconds(2), focusStatus: 1)) == nil)
    #expect(try settled { $0 < 9 ? 1 : 2 } == (10, .reported))
    #expect(try settled { $0 < 9 ? 1 : 4 } == (10, .reported))
    // It may be about to begin, and tell what it found before.
    #expect(try settled { _ in 0 } == (5, .reported))
    #expect(try settled { _ in 2 } == (5, .reported))
    #expect(try settled { _ in 1 } == (61, .assumed))
    #expect(try settled { _ in nil } == (61, .assumed))
  }

  @Test func whatIsKnownLeastSurelyCounts() throws {
    let automatic = Self.automatic(exposure: .pictures, focus: .driver, whiteBalance: .node)
    let found = Self.answer(automatic) { frame in
      var observation = Self.picture(frame)
      (observation.isNodeAtRest, observation.judged, observation.focusStatus) = (
        frame >= 7, frame, frame < 9 ? 1 : 2
      )
      return observation
    }
    #expect(try #require(found) == (10, .observed))
  }
}
