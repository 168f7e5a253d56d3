import Capture3A
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@Suite struct PhysicsFocusTests {
  /// Places of the picture around which all is at one distance, as the ball is anywhere between 0.18 m and 3 m.
  @Test func isOnTheSubjectWithin40Frames() throws {
    for search in try searches(20, delay: 2, seed: 42) {
      #expect(search.frames <= 40 && abs(search.position - search.truth) <= 0.02, "\(search)")
    }
  }

  @Test(arguments: 0...2) func aDelayThatNobodyKnowsCostsTimeNotSharpness(delay: Int) throws {
    let found = try searches(5, delay: delay, seed: 50 + UInt64(delay), isDelayKnown: false)
    for search in found {
      #expect(search.frames <= 140 && abs(search.position - search.truth) <= 0.005, "\(search)")
    }
    let errors = found.map { (1000 * ($0.position - $0.truth)).rounded() / 10 }
    print("focus, unknown delay \(delay): off by \(errors) % of the travel in \(found.map(\.frames)) frames")
  }

  /// What docs/performance.md says of cameras that are not calibrated.
  @Test(arguments: 0...5) func anUnknownDelayIsFoundOutOrSearchedPatiently(delay: Int) throws {
    let found = try searches(20, delay: delay, seed: 70 + UInt64(delay), isDelayKnown: false)
    #expect(found.allSatisfy { $0.frames <= 500 && abs($0.position - $0.truth) <= 0.04 }, "\(found)")
    let frames = found.map(\.frames).sorted()
    #expect(frames[10] <= 140 && frames[18] <= 240, "\(frames)")
    print("focus, unknown delay \(delay): \(frames) frames")
  }

  struct Search {
    var point: NormalizedPoint
    var start: Double
    var position: Double
    var truth: Double
    var frames: Int
  }

  private func searches(_ count: Int, delay: Int, seed: UInt64, isDelayKnown: Bool = true) throws -> [Search]
  {
    var numbers = SeededNumbers(seed: seed)
    var searches: [Search] = []
    while searches.count < count {
      let point = try NormalizedPoint(
        x: .random(in: 0.1...0.9, using: &numbers), y: .random(in: 0.1...0.9, using: &numbers))
      var bench = PhysicsBench(
        ThreeA(
          focus: FocusSearch(
            travel: PhysicsBench.lens, point: point, trust: isDelayKnown ? .calibrated : .unknown)),
        delay: delay, seed: UInt64(searches.count + 1))
      bench.isDelayKnown = isDelayKnown
      bench.control.focus?.set(.auto)
      let distance = 0.18 / Double.random(in: 0.06...1, using: &numbers)
      let subject = PhysicsPoint(
        x: .random(in: 0.2...0.8, using: &numbers), y: .random(in: 0.2...0.8, using: &numbers))
      bench.stage.changeWorld {
        $0.subjectDistance = distance
        $0.subject = subject
        $0.light = 0.5
      }
      let area = PhysicsArea(x: point.x - 0.07, y: point.y - 0.09, width: 0.14, height: 0.18)
      guard bench.stage.truth.isFlat(area) else { continue }
      let truth = bench.stage.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
      let start = Double.random(in: 0...1, using: &numbers)
      try bench.stage.set(ControlID(rawValue: 0x009A_090A), Int64(start * 1023))
      for _ in 0..<8 { _ = bench.stage.step() }
      var frames = 0
      while frames < 600, bench.control.focus?.mode == .auto {
        try bench.step()
        frames += 1
      }
      // Where it is going.
      for _ in 0..<8 { _ = bench.stage.step() }
      searches.append(
        Search(
          point: point, start: start, position: bench.stage.truth.latest!.lensPosition, truth: truth,
          frames: frames))
    }
    return searches
  }
}
