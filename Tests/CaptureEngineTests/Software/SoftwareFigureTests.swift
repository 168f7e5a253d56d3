import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Glibc
import Testing

@testable import CaptureEngine

/// The figures that the node's own modes are held to, through the engine, against what the camera alone knows.
@Suite struct SoftwareFigureTests {
  /// Pictures of a larger size take longer to make, and there are fewer of them.
  @Test(arguments: 0...2, [("320x240", 20), ("640x480", 4), ("1280x720", 2)])
  func focusIsOnTheSubjectWithin40Frames(delay: Int, _ search: (size: String, count: Int)) async throws {
    var numbers = SeededNumbers(seed: UInt64(70 + delay))
    var found: [(frames: Int, error: Double)] = []
    while found.count < search.count {
      let seed = UInt64(found.count + 1)
      let rig = try await StagedRig(
        .manual(delay: delay, seed: seed), size: try #require(FrameSize(search.size)))
      let point = try NormalizedPoint(
        x: .random(in: 0.1...0.9, using: &numbers), y: .random(in: 0.1...0.9, using: &numbers))
      let distance = 0.18 / Double.random(in: 0.06...1, using: &numbers)
      let subject = PhysicsPoint(
        x: .random(in: 0.2...0.8, using: &numbers), y: .random(in: 0.2...0.8, using: &numbers))
      let start = Double.random(in: 0...1, using: &numbers)
      rig.camera.changeWorld { world in
        (world.subjectDistance, world.subject, world.light) = (distance, subject, 0.5)
      }
      // Else it is not said which of several distances is the truth.
      let around = PhysicsArea(x: point.x - 0.07, y: point.y - 0.09, width: 0.14, height: 0.18)
      guard rig.camera.truth.isFlat(around) else { continue }
      _ = try await rig.set { $0.focus.lensPosition = start }
      let stream = try await rig.stream()
      for _ in 0..<8 { await rig.step() }
      _ = try await rig.set { $0.focus = .init(mode: .auto, point: point) }
      let frames = await rig.steps(60) { $0.focus?.mode == .locked }
      let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
      let error = abs(try #require(rig.camera.truth.latest).lensPosition - truth)
      #expect(frames <= 40 && error <= 0.02, "\(point) at \(distance) m: off by \(error), \(frames) frames")
      found.append((frames, error))
      await rig.device.unsubscribe(stream)
    }
    let frames = found.map(\.frames).sorted()
    print(
      "focus, delay \(delay), \(search.size): \(frames[frames.count / 2]) frames in the middle,",
      "\(frames.last!) at most;",
      "off by \(found.map(\.error).max()!) of the travel at most")
  }

  @Test(arguments: 0...2, [3.0, -3])
  func exposureIsRightWithin20FramesAndRests(delay: Int, stops: Double) async throws {
    let rig = try await StagedRig(.manual(delay: delay))
    let light = light(of: rig)
    let before = stops > 0 ? -1.0 : 1
    rig.camera.changeWorld { $0.light = before }
    let stream = try await rig.stream()
    _ = try await rig.set { $0.exposure.mode = .continuous }
    for _ in 0..<40 { await rig.step() }
    #expect(try offset(of: rig, light) < 0.1)
    rig.camera.changeWorld { $0.light = before + stops }
    // The frame that was begun before it.
    await rig.step()
    _ = rig.camera.takeAssignments()
    var (wrong, last) = (0, 0)
    for frame in 1...60 {
      await rig.step()
      if try offset(of: rig, light) > 0.1 { wrong = frame }
      if !rig.camera.takeAssignments().isEmpty { last = frame }
    }
    #expect(wrong < 20 && last <= 20, "wrong until frame \(wrong), set until frame \(last)")
    print("exposure, \(stops) EV, delay \(delay): right after \(wrong + 1) frames, set last in \(last)")
    await rig.device.unsubscribe(stream)
  }

  /// How far the latest frame's light is from middle grey, in EV: most of the picture counts, the middle more.
  private func offset(of rig: StagedRig, _ light: Double) throws -> Double {
    let frame = try #require(rig.camera.truth.latest)
    let exposure = SensorModel.exposure(duration: frame.exposureDuration, iso: frame.iso)
    return abs(log2(light * exposure * exp2(frame.world.light) / 0.18))
  }

  /// What a white wall would be 1 of, at 0 EV.
  private func light(of rig: StagedRig) -> Double {
    var (sum, weights) = (0.0, 0.0)
    for row in 0..<12 {
      for column in 0..<16 {
        let area = PhysicsArea(
          x: Double(column) / 16, y: Double(row) / 12, width: 1.0 / 16, height: 1.0 / 12)
        let (x, y) = ((area.x + area.width / 2 - 0.5) * 4 / 3, area.y + area.height / 2 - 0.5)
        let weight = exp(-(x * x + y * y) / (2 * 0.4 * 0.4))
        // Balanced for the light of 5000 K that it is at first, so green is as bright as grey.
        sum += weight * rig.camera.truth.light(in: area).green
        weights += weight
      }
    }
    return sum / weights
  }

  @Test(arguments: [2500.0, 3200, 4300, 5300, 6500, 8000])
  func greyIsGrey(kelvin: Double) async throws {
    for parts in [PhysicsOptions.Parts.colorBalance, .temperature] {
      let rig = try await StagedRig(.manual(delay: 1, parts: parts))
      rig.camera.changeWorld { $0.illuminant = kelvin }
      let stream = try await rig.stream()
      _ = try await rig.set { change in
        change.exposure.mode = .continuous
        change.whiteBalance.colour = .greyWorld
      }
      let count = await rig.steps(60) { $0.whiteBalance?.mode == .locked }
      for _ in 0..<3 { await rig.step() }
      let frame = try #require(rig.camera.truth.latest)
      let light = Illuminant.color(kelvin)
      let (red, blue) = (light.red * frame.gains.red - 1, light.blue * frame.gains.blue - 1)
      let ratio = abs(red - blue)
      #expect(
        max(abs(red), abs(blue), ratio) < 0.03, "\(kelvin) K, \(parts): red \(red), blue \(blue)")
      print("grey at \(kelvin) K: red \(red), blue \(blue), \(count) frames")
      await rig.device.unsubscribe(stream)
    }
  }
}
