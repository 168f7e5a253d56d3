import CaptureModel
import Testing

@testable import CaptureControls

@Suite struct DelayTests {
  private static let interval: UInt64 = 10_000_000

  /// Frames stamped at their end, `count` of them from 0.
  private func clock(_ count: UInt64) -> FrameClock {
    var clock = FrameClock(nominal: FrameInterval(rate: 100)!)
    for sequence in 0..<count { clock.tick(sequence, (sequence + 1) * Self.interval, .endOfFrame) }
    return clock
  }

  /// Set in the middle of frame 4's exposure, so that frame 5 is the first that begins after it.
  private func trial(_ scores: [(UInt64, Double)], threshold: Double = 0.35) -> DelayTrial {
    var trial = DelayTrial(
      moment: ControlMoment(began: 44_000_000, ended: 45_000_000), before: 0.02, threshold: threshold)
    for (sequence, score) in scores { trial.add(sequence, score: score) }
    return trial
  }

  @Test(arguments: 0...5) func theDelayIsCountedFromTheFirstFrameThatBeginsAfterTheChange(_ delay: UInt64) {
    let scores = (4...14).map { ($0, $0 >= 5 + delay ? 0.98 : 0.01) }
    #expect(trial(scores).delay(clock(15)) == Int(delay))
  }

  @Test func whatMovesBeginsWithLittle() {
    let scores: [(UInt64, Double)] = [(5, 0.02), (6, 0.025), (7, 0.08), (8, 0.3), (9, 0.9)]
    #expect(trial(scores, threshold: 0.03).delay(clock(10)) == 2)
  }

  @Test func oneFrameThatDiffersIsNoise() {
    let scores: [(UInt64, Double)] = [(5, 0.02), (6, 0.6), (7, 0.02), (8, 0.95), (9, 0.96)]
    #expect(trial(scores).delay(clock(10)) == 3)
  }

  @Test func aFrameThatIsMissingWhereItMattersMakesNoTrial() {
    #expect(trial([(5, 0.02), (7, 0.97), (8, 0.98)]).delay(clock(10)) == nil)
    #expect(trial([(5, 0.02), (6, 0.97), (8, 0.98)]).delay(clock(10)) == 1)
    #expect(trial([(5, 0.02), (6, 0.02)]).delay(clock(10)) == nil)
  }

  @Test func aChangeMadeAsAFrameBeginsMakesNoTrial() {
    var trial = DelayTrial(
      moment: ControlMoment(began: 39_000_000, ended: 41_000_000), before: 0, threshold: 0.35)
    for sequence: UInt64 in 4...9 { trial.add(sequence, score: sequence >= 6 ? 1 : 0) }
    #expect(trial.delay(clock(10)) == nil)
  }

  @Test func mostTrialsHaveToAgree() {
    #expect(
      MeasuredDelay(trials: [2, 2, 2, 2, 2, 2, 2, 2]) == MeasuredDelay(frames: 2, agreeing: 8, trials: 8))
    #expect(MeasuredDelay(trials: [2, 2, 3, 2, 2]) == MeasuredDelay(frames: 2, agreeing: 4, trials: 5))
    #expect(MeasuredDelay(trials: [2, 3, 2, 3, 2, 3, 2, 2]) == nil)
    #expect(MeasuredDelay(trials: [1, 1, 1]) == nil)
    #expect(MeasuredDelay(trials: []) == nil)
  }
}

@Suite struct SignatureTests {
  /// Features of 24 zones, one of them moving by `shift`, with noise.
  private func signatures(_ shift: Double, noise: Double, count: Int = 6) -> [FrameSignature] {
    (0..<count).map { _ in
      FrameSignature(
        features: (0..<96).map { ($0 == 8 ? 0.4 + shift : 0.5) + Double.random(in: -noise...noise) })
    }
  }

  @Test func scoresTellTheTwoValuesApart() throws {
    let axis = try #require(
      SignatureAxis(from: signatures(0, noise: 0.002), to: signatures(0.1, noise: 0.002)))
    for signature in signatures(0, noise: 0.002) { #expect(abs(axis.score(signature)) < 0.2) }
    for signature in signatures(0.1, noise: 0.002) { #expect(abs(axis.score(signature) - 1) < 0.2) }
    for signature in signatures(0.05, noise: 0.002) { #expect(abs(axis.score(signature) - 0.5) < 0.2) }
  }

  @Test func noiseAloneScoresTheSameForBoth() throws {
    let axis = try #require(SignatureAxis(from: signatures(0, noise: 0.01), to: signatures(0, noise: 0.01)))
    let scores = signatures(0, noise: 0.01, count: 100).map { axis.score($0) }
    let mean = scores.reduce(0, +) / 100
    #expect(mean > 0.1 && mean < 0.9)
  }

  @Test func framesThatAreAllTheSameHaveNoAxis() {
    let same = [FrameSignature(features: [0, 0, 0, 0]), FrameSignature(features: [0, 0, 0, 0])]
    #expect(SignatureAxis(from: same, to: same) == nil)
  }
}

@Suite struct CalibrationTargetTests {
  private func control(
    _ id: ControlID, _ range: ClosedRange<Int64>, type: ControlType = .integer, flags: ControlFlags = [],
    menu: [Int64] = []
  ) -> ControlDescription {
    ControlDescription(
      id: id, name: "control", label: "Control", type: type, minimum: range.lowerBound,
      maximum: range.upperBound, menu: menu.map { .init(index: $0, content: .name("\($0)")) }, flags: flags)
  }

  private func pairs(_ control: ControlDescription, value: Int64) -> [[Int64]]? {
    CalibrationTarget(control, value: value, among: [control], interval: FrameInterval(rate: 30)!)?
      .pairs.map { [$0.0, $0.1] }
  }

  @Test func exposuresStayWithinAFramesTime() throws {
    let tried = try #require(pairs(control(.exposureAbsolute, 1...5000), value: 4000))
    #expect(tried.first == [300, 150])
    #expect(tried.allSatisfy { $0.allSatisfy { 1...300 ~= $0 } })
    #expect(pairs(control(.exposureAbsolute, 1...5000), value: 100)?.first == [100, 50])
  }

  @Test func valuesStayInTheirRange() throws {
    for value: Int64 in [0, 3, 50, 97, 100] {
      let tried = try #require(pairs(control(.gain, 0...100), value: value))
      #expect(tried.allSatisfy { $0[0] != $0[1] && 0...100 ~= $0[0] && 0...100 ~= $0[1] })
    }
  }

  @Test func theFlashIsNeverTried() {
    let led = control(.flashLEDMode, 0...2, type: .menu, menu: [0, 1, 2])
    #expect(pairs(led, value: 0) == [[0, 2]])
    #expect(pairs(control(.flashLEDMode, 0...1, type: .menu, menu: [0, 1]), value: 0) == nil)
  }

  @Test func whatCannotBeSetToAndFroIsNoTarget() {
    #expect(pairs(control(.gain, 0...100, flags: .readOnly), value: 0) == nil)
    #expect(pairs(control(.gain, 0...100, flags: .inactive), value: 0) == nil)
    #expect(pairs(control(.gain, 0...100, flags: .executeOnWrite), value: 0) == nil)
    #expect(pairs(control(.gain, 5...5), value: 5) == nil)
    #expect(pairs(control(.gain, 0...1, type: .button), value: 0) == nil)
  }
}
