import Capture3A
import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@Suite struct PhysicsFocusTests {
  /// Places of the picture around which all is at one distance, as the ball is anywhere between 0.18 m and 3 m.
  @Test(arguments: [("320x240", 20), ("640x480", 6), ("1280x720", 3)])
  func isOnTheSubjectWithin40Frames(size: String, count: Int) throws {
    for search in try searches(count, delay: 2, seed: 42, size: #require(FrameSize(size))) {
      #expect(search.frames <= 40 && abs(search.position - search.truth) <= 0.02, "\(search)")
    }
  }

  /// Its edges are as far apart as rows that are read could be.
  @Test(arguments: [
    ("320x240", true), ("640x360", true), ("640x480", true), ("640x480", false), ("1280x720", true),
  ])
  func theChartIsSharpAtEverySize(size: String, isDelayKnown: Bool) throws {
    let size = try #require(FrameSize(size))
    for point in [try NormalizedPoint(x: 0.515, y: 0.27), try NormalizedPoint(x: 0.5, y: 0.3)] {
      let bench = bench(at: point, delay: 1, seed: 1, size: size, isDelayKnown: isDelayKnown)
      let search = try search(bench, at: point, from: 0.1)
      #expect(abs(search.position - search.truth) <= 0.02, "\(search)")
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

  /// What docs/controls.md says of cameras that are not calibrated.
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

  private func searches(
    _ count: Int, delay: Int, seed: UInt64, size: FrameSize = FrameSize(width: 320, height: 240),
    isDelayKnown: Bool = true
  ) throws -> [Search] {
    var numbers = SeededNumbers(seed: seed)
    var searches: [Search] = []
    while searches.count < count {
      let point = try NormalizedPoint(
        x: .random(in: 0.1...0.9, using: &numbers), y: .random(in: 0.1...0.9, using: &numbers))
      let distance = 0.18 / Double.random(in: 0.06...1, using: &numbers)
      let subject = PhysicsPoint(
        x: .random(in: 0.2...0.8, using: &numbers), y: .random(in: 0.2...0.8, using: &numbers))
      let bench = bench(
        at: point, delay: delay, seed: UInt64(searches.count + 1), size: size, isDelayKnown: isDelayKnown)
      bench.stage.changeWorld {
        $0.subjectDistance = distance
        $0.subject = subject
        $0.light = 0.5
      }
      let area = PhysicsArea(x: point.x - 0.07, y: point.y - 0.09, width: 0.14, height: 0.18)
      guard bench.stage.truth.isFlat(area) else { continue }
      searches.append(try search(bench, at: point, from: .random(in: 0...1, using: &numbers)))
    }
    return searches
  }

  private func bench(
    at point: NormalizedPoint, delay: Int, seed: UInt64, size: FrameSize, isDelayKnown: Bool
  ) -> PhysicsBench {
    let focus = FocusSearch(
      travel: PhysicsBench.lens, point: point, aspect: Double(size.width) / Double(size.height),
      trust: isDelayKnown ? .calibrated : .unknown)
    var bench = PhysicsBench(ThreeA(focus: focus), delay: delay, seed: seed, size: size)
    bench.isDelayKnown = isDelayKnown
    bench.control.focus?.set(.auto)
    return bench
  }

  private func search(_ bench: PhysicsBench, at point: NormalizedPoint, from start: Double) throws -> Search {
    var (bench, frames) = (bench, 0)
    try bench.stage.set(.focusAbsolute, Int64(start * 1023))
    for _ in 0..<8 { _ = bench.stage.step() }
    while frames < 600, bench.control.focus?.mode == .auto {
      try bench.step()
      frames += 1
    }
    // Where it is going.
    for _ in 0..<8 { _ = bench.stage.step() }
    return Search(
      point: point, start: start, position: bench.stage.truth.latest!.lensPosition,
      truth: bench.stage.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y)), frames: frames)
  }
}
