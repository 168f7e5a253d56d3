import Capture3A
import CaptureModel
import CaptureTestSupport

/// A camera on a machine that others keep busy: what is set takes hold now soon, now late, frames are lost, and after a standstill some come at
/// once that were taken meanwhile. So which lens position a frame is believed to have is wrong by up to ``latest`` frames, now these, now those.
struct BusyCamera {
  var camera: ModelCamera
  /// What settings are late, and how many frames a standstill keeps, at most.
  var latest = 5
  /// The share of frames that are lost, and of those at which the camera stands still.
  var lost = 0.1
  var standstills = 0.05

  private var coming: [(frame: UInt64, position: Double)] = []
  /// By how many frames settings are late just now.
  private var lateness = 0
  private var told: Double
  /// Taken while the machine stood still.
  private var waiting: [FrameStatistics] = []
  private var numbers: SeededNumbers

  init(_ camera: ModelCamera, seed: UInt64) {
    self.camera = camera
    told = camera.lens
    numbers = SeededNumbers(seed: seed)
  }

  mutating func move(to position: Double) {
    if .random(in: 0..<1, using: &numbers) < 0.2 { lateness = .random(in: 0...latest, using: &numbers) }
    told = position
    let frame = max(camera.frames + UInt64(lateness), coming.last?.frame ?? 0)
    coming.append((frame, position))
  }

  /// The next frame that comes, and where its lens is believed to have been told to be.
  mutating func frame() -> (FrameStatistics, KnownSettings) {
    if waiting.isEmpty {
      let isStill = Double.random(in: 0..<1, using: &numbers) < standstills
      let count = isStill ? Int.random(in: 1...latest, using: &numbers) : 1
      while waiting.count < count {
        let frame = take()
        if .random(in: 0..<1, using: &numbers) >= lost { waiting.append(frame) }
      }
    }
    return (waiting.removeFirst(), KnownSettings(lensPosition: told))
  }

  private mutating func take() -> FrameStatistics {
    while let first = coming.first, first.frame <= camera.frames {
      camera.perform(.moveLens(to: first.position))
      coming.removeFirst()
    }
    return camera.frame().0
  }
}
