import CaptureTestSupport
import Testing

extension LatenessWitness {
  private static let step = 2_000_000

  /// Counts the frames, of an interval in nanoseconds, that a camera which is driven by a clock has to skip since its machine is too late.
  fileprivate convenience init(framesOf interval: Int) {
    // Vivid skips a frame from half a frame on, and it may have been due up to a step before a thread's sleep ended.
    self.init(on: .eachProcessor, every: Self.step, tolerance: interval / 2 - Self.step) { 1 + $0 / interval }
  }
}

/// Frames of a stream at `rate` that a camera driven by a clock must not lose: again, and says so, where some were lost but no more than the
/// machine was too late for; more than that fails. `lost` streams once and returns how many were.
func losesNoFrame(at rate: Int, _ lost: () async throws -> UInt64) async throws {
  for _ in 1...5 {
    let witness = LatenessWitness(framesOf: 1_000_000_000 / rate)
    let frames: UInt64
    do {
      frames = try await lost()
    } catch {
      witness.end()
      throw error
    }
    let excused = witness.end()
    guard frames > 0 else { return }
    try #require(frames <= excused, "\(frames) frames were lost, and the machine was too late for \(excused)")
    print("again: \(frames) frames were lost, and the machine was too late for \(excused)")
  }
}
