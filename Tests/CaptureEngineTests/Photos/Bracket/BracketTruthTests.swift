import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Foundation
import Testing

@testable import CaptureEngine

/// Random brackets against what the camera knows of its frames, and against their pixels. Only the test knows how late each control is.
@Suite struct BracketTruthTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// `CAPTURE_BRACKETS` says how many, a third of each kind (`scripts/soak`: 200; under the thread sanitizer 3).
  private static let count = environment["CAPTURE_BRACKETS"].flatMap { Int($0) } ?? 9
  private static let seed =
    environment["CAPTURE_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64(UInt32.max))

  @Test(.timeLimit(.minutes(30)), arguments: [true, false])
  func eachPhotoHasItsSettingsOrSaysThatThisIsAssumed(isCalibrated: Bool) async throws {
    print("brackets, CAPTURE_TEST_SEED=\(Self.seed)")
    var (right, assumed) = (0, 0)
    for index in 0..<Self.count {
      var dice = SeededNumbers(seed: Self.seed | UInt64(index) << 32)
      let turn = try await RandomBracket(index, isCalibrated: isCalibrated, using: &dice)
      let photos = try await turn.take()
      #expect(photos.count == turn.steps.count)
      for (photo, isRight) in zip(photos, try await turn.judge(photos)) {
        let provenance = try #require(photo.outcome).provenance
        if isCalibrated {
          #expect(
            isRight && provenance != .assumed,
            "bracket \(index), \(photo.place): \(turn.steps), \(provenance)")
        } else {
          #expect(isRight || provenance == .assumed, "bracket \(index), \(photo.place): \(turn.steps)")
        }
        right += isRight ? 1 : 0
        assumed += provenance == .assumed ? 1 : 0
      }
      await turn.rig.rig.engine.shutDown()
    }
    print(
      "brackets \(isCalibrated ? "calibrated" : "never calibrated"): \(right) photos right, \(assumed) said to be assumed"
    )
  }
}

/// A bracket by chance, of a camera with delays by chance.
private struct RandomBracket {
  let rig: BracketRig
  let steps: [BracketStep]
  /// One that runs meanwhile, if any.
  private var stream: FrameSubscription?

  private static let late: [ControlID] = [
    .exposureAbsolute, .gain, .focusAbsolute, .autoExposure, .autoFocus, .autoWhiteBalance,
    .whiteBalanceTemperature, .redBalance, .blueBalance,
  ]

  init(_ index: Int, isCalibrated: Bool, using dice: inout SeededNumbers) async throws {
    var options = PhysicsOptions()
    options.seed = UInt64(index + 1)
    // Brighter, an exposure that the camera finds by itself is too short for some biases.
    options.light = .random(in: 1...2.5, using: &dice)
    for id in Self.late { options.delays[id] = .random(in: 0...5, using: &dice) }
    if Bool.random(using: &dice) { options.automation = [] }
    rig = try await BracketRig(options, isCalibrated: isCalibrated)
    switch index % 3 {
    case 0:
      // From an exposure of which each bias can be had.
      if options.automation.isEmpty {
        // Before a running stream: without one this camera would begin its first frames with the values of before, which none does.
        stream = try await rig.rig.stream()
        rig.camera.step()
        _ = try await rig.rig.set { $0.exposure = .init(duration: 0.004, gain: 16) }
      }
      steps = [-2, -1, 1, 2, 0].shuffled(using: &dice).prefix(3).map { .bias($0) }
    case 1:
      steps = (0..<3).map { _ in
        .exposure(
          duration: (Double.random(in: 0.001...0.03, using: &dice) * 1e4).rounded() / 1e4,
          gain: Bool.random(using: &dice) ? Double.random(in: 0...60, using: &dice).rounded() : nil)
      }
    default: steps = (0..<3).map { _ in .lensPosition(.random(in: 0...1, using: &dice)) }
    }
  }

  func take() async throws -> [SequencePhoto] { try await rig.bracket(steps) }

  /// Whether each photo was taken with its settings, and looks like one that is taken with them long after they were set.
  func judge(_ photos: [SequencePhoto]) async throws -> [Bool] {
    let truths = photos.map { rig.camera.truth.frame($0.photo.picture.description.sequence) }
    var right: [Bool] = []
    for (step, (photo, truth)) in zip(steps, zip(photos, truths)) {
      let picture = photo.photo.picture
      let truth = try #require(truth)
      let told = picture.description.settings
      var change = SettingsChange()
      var isRight = true
      switch step {
      case .bias(let bias):
        change.exposure = .init(duration: told?.exposureDuration?.value, gain: told?.gain?.value)
        isRight = abs((photo.outcome?.bias ?? 99) - bias) <= BracketPlan.tolerance
      case .exposure(let duration, _, let gain):
        change.exposure = .init(duration: duration, gain: gain ?? told?.gain?.value)
      case .lensPosition(let position): change.focus.lensPosition = position
      }
      if let duration = change.exposure.duration {
        isRight = isRight && abs(truth.exposureDuration - duration) < 2e-5
      }
      if let gain = change.exposure.gain { isRight = isRight && truth.gain == Int64(gain) }
      if step.kind == "a lens position" {
        isRight = isRight && abs(truth.lensPosition - truth.lensTarget) < 0.01
      }
      // The world is still, and so is what else is set: only the step tells two pictures apart.
      let reference = try await reference(change, isOfLens: step.kind == "a lens position")
      if step.kind == "a lens position" {
        // Automatic exposure goes on behind the bracket: what is compared is sharpness beside brightness.
        let (own, other) = (picture.detail / picture.luma, reference.detail / reference.luma)
        isRight = isRight && abs(own - other) < 0.05 * other
      } else {
        isRight = isRight && abs(picture.luma - reference.luma) < 0.02 * reference.luma + 0.5
      }
      right.append(isRight)
    }
    return right
  }

  /// A picture that is taken with these settings long after they were set. A lens takes longer than a control.
  private func reference(_ change: SettingsChange, isOfLens: Bool) async throws -> Picture {
    let stream = try await rig.rig.stream()
    _ = try await rig.device.set(change)
    for _ in 0..<(isOfLens ? 60 : 12) { rig.camera.step() }
    let photo = try await rig.photo()
    await rig.device.unsubscribe(stream)
    return photo
  }
}
