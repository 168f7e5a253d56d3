import Capture3A
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@Suite struct PhysicsFocusTests {
  /// Places of the picture around which all is at one distance, as the ball is anywhere between 0.18 m and 3 m.
  @Test(arguments: [2]) func isOnTheSubjectWithin40Frames(delay: Int) throws {
    var numbers = SeededNumbers(seed: UInt64(40 + delay))
    var searches = 0
    while searches < 20 {
      let point = try NormalizedPoint(
        x: .random(in: 0.1...0.9, using: &numbers), y: .random(in: 0.1...0.9, using: &numbers))
      var bench = PhysicsBench(
        ThreeA(focus: FocusSearch(travel: PhysicsBench.lens, point: point)), delay: delay,
        seed: UInt64(searches + 1))
      bench.control.focus?.set(.auto)
      let distance = 0.18 / Double.random(in: 0.06...1, using: &numbers)
      let subject = PhysicsPoint(
        x: .random(in: 0.2...0.8, using: &numbers), y: .random(in: 0.2...0.8, using: &numbers))
      bench.stage.changeWorld {
        $0.subjectDistance = distance
        $0.subject = subject
        $0.light = 0.5
      }
      guard
        bench.stage.truth.isFlat(PhysicsArea(x: point.x - 0.07, y: point.y - 0.09, width: 0.14, height: 0.18))
      else { continue }
      let truth = bench.stage.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
      let start = Double.random(in: 0...1, using: &numbers)
      try bench.stage.set(ControlID(rawValue: 0x009A_090A), Int64(start * 1023))
      for _ in 0..<8 { _ = bench.stage.step() }
      var count = 0
      while count < 60, bench.control.focus?.mode == .auto {
        try bench.step()
        count += 1
      }
      let position = bench.stage.truth.latest!.lensPosition
      #expect(
        count <= 40 && abs(position - truth) <= 0.02,
        "delay \(delay), \(point), \(distance) m, from \(start): \(position) for \(truth) after \(count) frames"
      )
      searches += 1
    }
  }
}
