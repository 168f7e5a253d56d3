import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Foundation
import Testing

@testable import CaptureEngine

/// The frame that is named as the first with a setting, against what the camera knows of itself and against its pictures. Without a clock.
@Suite struct FirstFrameTests {
  /// So many changes in all; the long run asks for 1,000.
  private static let changes =
    ProcessInfo.processInfo.environment["CAPTURE_TEST_CHANGES"].flatMap(Int.init) ?? 150
  /// In each turn the controls have all delays, and over six turns each has each.
  private static let turns = changes < 1000 ? 2 : 6
  private static let controls: [ControlID] = [
    .exposureAbsolute, .gain, .whiteBalanceTemperature, .zoomAbsolute, .flashLEDMode, .torchIntensity,
  ]

  @Test(.timeLimit(.minutes(10)), arguments: 0..<turns)
  func theFrameThatIsNamedIsTheFirstWithTheChange(_ turn: Int) async throws {
    var options = PhysicsOptions()
    options.automation = []
    options.seed = UInt64(turn + 1)
    for (index, id) in Self.controls.enumerated() { options.delays[id] = (index + turn) % 6 }
    let size = FrameSize(width: 160, height: 120)
    let camera = StagedCamera(options, size: size, settingTimes: SeededNumbers(seed: options.seed))
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    let sink = MeasuringSink { camera.step() }
    let subscription = try await device.subscribe(
      VideoRequest(encoding: .raw, pixelFormat: .yuyv, size: size), sink: sink, holder: "test")
    var looks = Looks(sink, camera)

    try await device.calibrate([], through: MeasuringSink { camera.step() }, holder: "test") { _ in }
    for id in Self.controls {
      #expect(
        await device.delays[id] == ControlDelay(frames: options.delay(of: id), provenance: .calibrated),
        "\(id)")
    }
    // What the calibration has set back is on its way.
    await looks.step(10)
    var dice = SeededNumbers(seed: UInt64(turn))
    var state = Scene()
    for _ in 0..<(Self.changes + Self.turns - 1) / Self.turns {
      let next = state.changed(using: &dice)
      let known = camera.truth.effects.count
      let outcome = try await device.set(next.change(from: state))
      state = next
      await looks.step(10)
      let applied = try await device.awaitChange(outcome.change)
      let frame = try #require(applied.frame).sequence
      #expect(applied.provenance == .calibrated)
      #expect(camera.truth.effects.dropFirst(known).map(\.effective).max() == frame)
      let differences = (looks.difference(frame - 1, frame), looks.difference(frame, frame + 1))
      let (step, after) = (try #require(differences.0), try #require(differences.1))
      // What belongs to the same change may have come earlier; nothing comes later.
      #expect(step > 3 * after, "step \(step), after \(after): \(next)")
    }
    await device.unsubscribe(subscription)
    await engine.shutDown()
  }
}

/// How the latest frames look.
private struct Looks {
  private let camera: StagedCamera
  private var frames: AsyncStream<MeasuredFrame>.Iterator
  private var latest: [UInt64: [Double]] = [:]

  init(_ sink: MeasuringSink, _ camera: StagedCamera) {
    self.camera = camera
    frames = sink.frames.makeAsyncIterator()
  }

  /// Has the camera give so many frames, and looks at them.
  mutating func step(_ count: Int) async {
    // Those of the time before, when nobody looked, come first.
    for _ in 0..<count {
      guard let last = camera.step() else {
        Issue.record("nobody streams")
        return
      }
      while let frame = await frames.next() {
        latest[frame.sequence] = frame.signature.features
        latest[frame.sequence &- 40] = nil
        if frame.sequence == last { break }
      }
    }
  }

  /// Root of the mean square difference of two frames' zones in brightness and colour; `nil`: one was not seen.
  func difference(_ a: UInt64, _ b: UInt64) -> Double? {
    guard let first = latest[a], let second = latest[b] else { return nil }
    var sum = 0.0
    for index in first.indices where index % 4 != 3 {
      sum += (first[index] - second[index]) * (first[index] - second[index])
    }
    return (sum / Double(first.count)).squareRoot()
  }
}

/// Settings that look different from each other.
private struct Scene: Equatable {
  var duration = 0.004
  var gain = 16.0
  var temperature = 5000.0
  var zoom = 1.0
  /// The latest level also while it is off.
  var torchLevel = 1.0
  var isTorchOn = false

  /// One or two of them are others.
  func changed(using dice: inout SeededNumbers) -> Scene {
    var next = self
    for _ in 0...Int.random(in: 0...1, using: &dice) {
      switch Int.random(in: 0...4, using: &dice) {
      case 0:
        next.duration =
          duration > 0.003
          ? .random(in: 0.001...0.0018, using: &dice) : .random(in: 0.004...0.007, using: &dice)
      case 1:
        next.gain =
          gain > 14
          ? .random(in: 4...8, using: &dice).rounded() : .random(in: 24...48, using: &dice).rounded()
      case 2: next.temperature = temperature > 4500 ? 2800 : 6500
      case 3: next.zoom = zoom > 1.5 ? 1.2 : 2.5
      default:
        next.isTorchOn = !isTorchOn
        if next.isTorchOn { next.torchLevel = torchLevel < 0.5 ? 1 : 0.3 }
      }
    }
    return next
  }

  func change(from old: Scene) -> SettingsChange {
    var change = SettingsChange()
    if duration != old.duration { change.exposure.duration = (duration * 1e4).rounded() / 1e4 }
    if gain != old.gain { change.exposure.gain = gain }
    if temperature != old.temperature {
      change.whiteBalance.colour = .temperature(.init(temperature: temperature, tint: 0))
    }
    if zoom != old.zoom { change.zoom = .init(factor: zoom) }
    if isTorchOn != old.isTorchOn {
      change.torch = isTorchOn ? .init(mode: .on, level: torchLevel) : .init(mode: .off)
    }
    return change
  }
}
