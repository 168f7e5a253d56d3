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

  /// `driver`: of which more or less is assumed.
  init(_ options: PhysicsOptions, driver: String = "physics") async throws {
    rig = try await StagedRig(
      options, size: FrameSize(width: 320, height: 240), isCalibrated: false, driver: driver)
    stream = try await rig.stream()
    for _ in 0..<3 { await rig.step() }
  }

  func end() async { await rig.device.unsubscribe(stream) }

  /// The latest, as it was really taken.
  var frame: PhysicsFrame { get throws { try #require(rig.camera.truth.latest) } }

  /// Sets `absurd`, and at once, or when it `isLate` a frame later, begins a search. Returns how many frames that took, and what it ended with.
  func search(
    isLate: Bool, _ absurd: (inout SettingsChange) -> Void, from begin: (inout SettingsChange) -> Void,
    until isOver: (CameraSettings) -> Bool
  ) async throws -> (frames: Int, settings: CameraSettings) {
    _ = try await rig.set(absurd)
    if isLate { await rig.step() }
    _ = try await rig.set(begin)
    let frames = await rig.steps(800, until: isOver)
    let settings = try #require(await rig.device.knownSettings())
    #expect(isOver(settings))
    // What was set last shows.
    for _ in 0..<8 { await rig.step() }
    return (frames, settings)
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
        let (x, y) = ((area.x + area.width / 2 - point.x) * 4 / 3, area.y + area.height / 2 - point.y)
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

/// Cameras as they are at first: nobody knows how late they are. Each mode begins from a value that was set a moment before and is far from right.
@Suite struct NeverCalibratedTests {
  struct Tally {
    var right = 0
    var failed = 0
    var wrong: [String] = []
    var worst = 0.0
    var frames: [Int] = []

    mutating func add(_ error: Double, most: Double, failure: String?, _ frames: Int, _ name: String) {
      if let failure {
        failed += 1
        print("  \(name): failed after \(frames) frames: \(failure)")
      } else if error <= most {
        (right, worst) = (right + 1, max(worst, error))
      } else {
        wrong.append("\(name): off by \(error) after \(frames) frames")
      }
      self.frames.append(frames)
    }

    var count: Int { right + failed + wrong.count }
    var text: String {
      let sorted = frames.sorted()
      return "\(right) right, off by \(Self.text(worst)) at most, \(failed) failed, \(wrong.count) wrong; "
        + "\(sorted[sorted.count / 2]) frames in the middle, \(sorted[sorted.count * 95 / 100]) of 95 %, \(sorted.last!) at most"
    }
    static func text(_ number: Double) -> String { String(format: "%.3f", number) }
  }

  /// `CAPTURE_SCENES=100` does all, `CAPTURE_DELAYS=0,1` of some delays, `CAPTURE_SCENE=48` that one.
  private static let environment = ProcessInfo.processInfo.environment
  private static let scenes = environment["CAPTURE_SCENES"].flatMap { Int($0) } ?? 1
  private static let scene = environment["CAPTURE_SCENE"].flatMap { Int($0) }
  private static let delays =
    environment["CAPTURE_DELAYS"].map { $0.split(separator: ",").compactMap { Int($0) } } ?? Array(0...5)

  @Test(arguments: delays) func endsRightOrSaysThatItDoesNot(delay: Int) async throws {
    var tallies = ["exposure": Tally(), "grey": Tally(), "focus": Tally()]
    for scene in Self.scene.map({ $0...$0 }) ?? 0...(Self.scenes - 1) {
      var numbers = SeededNumbers(seed: UInt64(1000 * delay + scene + 1))
      var options = PhysicsOptions.manual(delay: delay, seed: .random(in: 1...1_000_000, using: &numbers))
      options.light = .random(in: -4...4, using: &numbers)
      options.illuminant = .random(in: 2500...8000, using: &numbers)
      let driver = ["physics", "uvcvideo", "synthetic"][(scene + delay) % 3]
      let name =
        "delay \(delay), driver \(driver), scene \(scene), light \(Tally.text(options.light)), \(Int(options.illuminant)) K"
      var rig = try await NeverCalibratedRun(options, driver: driver)
      try await expose(rig, &numbers, name, &tallies["exposure"]!)
      try await balance(rig, &numbers, name, &tallies["grey"]!)
      if scene % 2 == 1 {
        // Where nothing was learnt before.
        await rig.end()
        (options.light, options.illuminant) = (0, 5000)
        rig = try await NeverCalibratedRun(options, driver: driver)
      }
      try await focus(rig, &numbers, name, &tallies["focus"]!)
      await rig.end()
      let seen = await rig.rig.device.delays.observed.mapValues(\.frames)
      #expect(seen.values.allSatisfy { abs($0 - delay) <= 1 }, "\(name): \(seen)")
    }
    for (name, tally) in tallies.sorted(by: { $0.key < $1.key }) {
      print("delay \(delay), \(name): \(tally.text)")
      #expect(tally.wrong.isEmpty, "\(tally.wrong.joined(separator: "\n"))")
      #expect(
        tally.failed * 100 <= 3 * max(tally.count, 34), "\(name): \(tally.failed) of \(tally.count) failed")
    }
  }

  /// They are switched off with the same change, and of what they chose nobody knows how late it is.
  @Test(arguments: [0, 3, 5]) func theCamerasOwnModesAreSwitchedOffFirst(delay: Int) async throws {
    var options = PhysicsOptions()
    (options.delay, options.light, options.illuminant) = (delay, 1, 3200)
    let run = try await NeverCalibratedRun(options)
    for _ in 0..<30 { await run.rig.step() }
    let point = try NormalizedPoint(x: 0.515, y: 0.27)
    let end = try await run.search(isLate: false) {
      $0.exposure.bias = 2
    } from: { change in
      change.exposure = .init(mode: .auto, point: point, bias: 0)
      change.whiteBalance.colour = .greyWorld
      change.focus = .init(mode: .auto, point: point)
    } until: { settings in
      settings.exposure?.mode == .locked && settings.whiteBalance?.mode == .locked
        && settings.focus?.mode == .locked
    }
    #expect(end.settings.exposure?.failure == nil && end.settings.focus?.failure == nil, "\(end)")
    #expect(end.settings.whiteBalance?.failure == nil, "\(end)")
    let frame = try run.frame
    let exposure = SensorModel.exposure(duration: frame.exposureDuration, iso: frame.iso)
    let metered = run.meteredLight(with: frame.gains, around: point, radius: 0.12)
    #expect(abs(log2(metered * exposure / 0.18)) < 0.25, "\(end.frames) frames")
    let light = Illuminant.color(3200)
    #expect(abs(light.red * frame.gains.red - 1) < 0.04 && abs(light.blue * frame.gains.blue - 1) < 0.04)
    let truth = run.rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    #expect(abs(frame.lensPosition - truth) < 0.04)
    await run.end()
  }

  private func expose(
    _ run: NeverCalibratedRun, _ numbers: inout SeededNumbers, _ name: String, _ tally: inout Tally
  ) async throws {
    let duration = [0.0001, 0.0005, 0.033, 0.02].randomElement(using: &numbers)!
    let gain = [0.0, 0, 255].randomElement(using: &numbers)!
    let end = try await run.search(isLate: .random(using: &numbers)) {
      $0.exposure = .init(mode: .custom, duration: duration, gain: gain)
    } from: {
      $0.exposure.mode = .auto
    } until: {
      $0.exposure?.mode == .locked
    }
    let exposure = try #require(end.settings.exposure)
    tally.add(
      try error(of: run.frame), most: 0.15, failure: exposure.failure, end.frames, "exposure, \(name)")
    if exposure.failure != nil {
      #expect(abs((exposure.duration?.value ?? 0) - duration) < 0.0001, "\(name)")
    }

    /// How far the light is from middle grey as the meter weighs it, in EV.
    func error(of frame: PhysicsFrame) throws -> Double {
      let exposure = SensorModel.exposure(duration: frame.exposureDuration, iso: frame.iso)
      return abs(log2(run.meteredLight(with: frame.gains) * exposure / 0.18))
    }
  }

  private func balance(
    _ run: NeverCalibratedRun, _ numbers: inout SeededNumbers, _ name: String, _ tally: inout Tally
  ) async throws {
    let kelvin = [2000.0, 2500, 10_000].randomElement(using: &numbers)!
    let end = try await run.search(isLate: .random(using: &numbers)) {
      $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: kelvin))
    } from: {
      $0.whiteBalance.colour = .greyWorld
    } until: {
      $0.whiteBalance?.mode == .locked
    }
    let frame = try run.frame
    let light = Illuminant.color(frame.world.illuminant)
    let error = max(abs(light.red * frame.gains.red - 1), abs(light.blue * frame.gains.blue - 1))
    tally.add(error, most: 0.04, failure: end.settings.whiteBalance?.failure, end.frames, "grey, \(name)")
  }

  private func focus(
    _ run: NeverCalibratedRun, _ numbers: inout SeededNumbers, _ name: String, _ tally: inout Tally
  ) async throws {
    let point = try place(in: run.rig, &numbers)
    let lens = [0.0, 1, 0.5].randomElement(using: &numbers)!
    let end = try await run.search(isLate: .random(using: &numbers)) {
      $0.focus.lensPosition = lens
    } from: {
      $0.focus = .init(mode: .auto, point: point)
    } until: {
      $0.focus?.mode == .locked
    }
    let truth = run.rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    let error = try abs(run.frame.lensPosition - truth)
    tally.add(error, most: 0.04, failure: end.settings.focus?.failure, end.frames, "focus, \(name)")
  }

  /// A place around which all is at one distance: else it is not said which of several is the truth.
  private func place(in rig: StagedRig, _ numbers: inout SeededNumbers) throws -> NormalizedPoint {
    while true {
      let point = try NormalizedPoint(
        x: .random(in: 0.1...0.9, using: &numbers), y: .random(in: 0.1...0.9, using: &numbers))
      let distance = 0.18 / Double.random(in: 0.06...1, using: &numbers)
      let subject = PhysicsPoint(
        x: .random(in: 0.2...0.8, using: &numbers), y: .random(in: 0.2...0.8, using: &numbers))
      rig.camera.changeWorld { ($0.subjectDistance, $0.subject) = (distance, subject) }
      // All zones that count for the point.
      let around = PhysicsArea(x: point.x - 0.11, y: point.y - 0.145, width: 0.22, height: 0.29)
      if rig.camera.truth.isFlat(around) { return point }
    }
  }
}
