import CaptureModel
import Glibc
import Testing

@testable import CaptureSynthetic

/// What takes time is in C, and optimized in every build; but not what sanitizers make of it.
@Suite(.enabled(if: dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil))
struct PhysicsCostTests {
  /// Milliseconds of this thread.
  private func cpu(_ body: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
    }
    let start = now()
    body()
    return now() - start
  }

  /// At 30 frames a second: a third of a processor, and a whole one. The quickest of several rounds, since others work beside it.
  @Test(arguments: [(FrameSize(width: 640, height: 480), 11.0), (FrameSize(width: 1280, height: 720), 33.0)])
  func framesAreCheap(size: FrameSize, limit: Double) throws {
    var options = PhysicsOptions()
    options.automation = []
    let stage = PhysicsStage(options, size: size)
    try stage.set(.zoomAbsolute, 150)
    try stage.set(.focusAbsolute, 500)
    for _ in 0..<10 { _ = stage.step() }
    let round = (0..<5).map { _ in cpu { for _ in 0..<10 { _ = stage.step() } } / 10 }.min()!
    #expect(round < limit)
  }
}
