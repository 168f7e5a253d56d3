import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Foundation
import Testing

@testable import CaptureEngine

/// A camera that streams and was never calibrated.
struct NeverCalibratedRun {
  let rig: StagedRig
  private let stream: FrameSubscription

  private let aspect: Double

  /// `driver`: of which more or less is assumed.
  init(
    _ options: PhysicsOptions, driver: String = "physics",
    size: FrameSize = FrameSize(width: 320, height: 240)
  ) async throws {
    rig = try await StagedRig(options, size: size, isCalibrated: false, driver: driver)
    aspect = Double(size.width) / Double(size.height)
    stream = try await rig.stream()
    for _ in 0..<3 { await rig.step() }
  }

  init(_ scene: RandomScene) async throws {
    try await self.init(scene.options, driver: scene.driver, size: scene.size)
  }

  /// The camera's pictures take 20 MB until then.
  func end() async {
    await rig.device.unsubscribe(stream)
    await rig.engine.shutDown()
  }

  /// The latest, as it was really taken.
  var frame: PhysicsFrame { get throws { try #require(rig.camera.truth.latest) } }

  /// Sets `absurd`, and at once, or when it `isLate` a frame later, begins a search. Returns how many frames that took, the settings
  /// before it, and those with which it ended.
  func search(
    isLate: Bool, _ absurd: (inout SettingsChange) -> Void, from begin: (inout SettingsChange) -> Void,
    until isOver: (CameraSettings) -> Bool
  ) async throws -> (frames: Int, before: CameraSettings, settings: CameraSettings) {
    let before = try await rig.set(absurd)
    if isLate { await rig.step() }
    _ = try await rig.set(begin)
    let frames = await rig.steps(800, until: isOver)
    let settings = try #require(await rig.device.knownSettings())
    #expect(isOver(settings))
    // What was set last shows.
    for _ in 0..<8 { await rig.step() }
    return (frames, before, settings)
  }

  /// The mean of the scene, what is around a point more, as the picture shows it with these gains.
  func meteredLight(
    with gains: SensorColor, around point: NormalizedPoint = .center, radius: Double = 0.4
  ) -> Double {
    var (sum, weights) = (0.0, 0.0)
    for row in 0..<12 {
      for column in 0..<16 {
        let area = PhysicsArea(
          x: Double(column) / 16, y: Double(row) / 12, width: 1.0 / 16, height: 1.0 / 12)
        let (x, y) = ((area.x + area.width / 2 - point.x) * aspect, area.y + area.height / 2 - point.y)
        let weight = exp(-(x * x + y * y) / (2 * radius * radius))
        let light = rig.camera.truth.light(in: area)
        sum +=
          weight * (0.2126 * light.red * gains.red + 0.7152 * light.green + 0.0722 * light.blue * gains.blue)
        weights += weight
      }
    }
    return sum / weights
  }
}

/// Light, its colour and texture at random, and the camera before it.
struct RandomScene {
  let index: Int
  var options: PhysicsOptions
  let driver: String
  /// Most frames are small: what is slow is making them.
  let size: FrameSize
  let name: String
  /// For what is done there.
  var numbers: SeededNumbers

  init(_ index: Int, delay: Int) {
    self.index = index
    numbers = SeededNumbers(seed: UInt64(1000 * delay + index + 1))
    options = .manual(delay: delay, seed: .random(in: 1...1_000_000, using: &numbers))
    options.light = .random(in: -4...4, using: &numbers)
    options.illuminant = .random(in: 2500...8000, using: &numbers)
    driver = ["physics", "uvcvideo", "synthetic"][(index + delay) % 3]
    switch (3 * index + delay + 4) % 10 {
    case 0..<6: size = FrameSize(width: 320, height: 240)
    case 6..<9: size = FrameSize(width: 640, height: 480)
    default: size = FrameSize(width: 1280, height: 720)
    }
    name =
      "delay \(delay), driver \(driver), \(size), scene \(index), light \(SearchTally.text(options.light)), "
      + "\(Int(options.illuminant)) K"
  }
}
