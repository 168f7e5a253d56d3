import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Foundation
import Testing

@testable import CaptureEngine

/// The frame that is named as the first with a setting, against what the camera knows of itself and against its pictures. Without a clock.
@Suite struct FirstFrameTests {
  /// So many changes in all.
  private static let changes = 1000
  /// Each with other delays.
  private static let turns = 6
  /// The seed of everything random. A run prints it, and can be repeated with it.
  private static let seed =
    ProcessInfo.processInfo.environment["CAPTURE_TEST_SEED"].flatMap(UInt64.init)
    ?? .random(in: 0...UInt64(UInt32.max))
  private static let values: [ControlID] = [
    .exposureAbsolute, .gain, .whiteBalanceTemperature, .zoomAbsolute, .flashLEDMode, .torchIntensity,
    .redBalance, .blueBalance, .focusAbsolute,
  ]
  private static let switches: [ControlID] = [.autoExposure, .autoWhiteBalance, .autoFocus]

  @Test(.timeLimit(.minutes(10)), arguments: 0..<turns)
  func theFrameThatIsNamedIsTheFirstWithTheChange(_ turn: Int) async throws {
    // There at once: each first frame shows for sure.
    try await nameFrames(turn, Self.changes / Self.turns, lensSpeed: .infinity)
  }

  /// A lens on its way: the first frame is the one in which it begins to move.
  @Test(.timeLimit(.minutes(10)))
  func aLensThatTakesItsTimeHasBegunToMove() async throws {
    try await nameFrames(Self.turns, Self.changes / Self.turns, lensSpeed: 6)
  }

  /// `lensSpeed`: travels a second.
  private func nameFrames(_ turn: Int, _ count: Int, lensSpeed: Double) async throws {
    // Seeds beside each other give the same numbers one later.
    var dice = SeededNumbers(seed: Self.seed | UInt64(turn) << 32)
    var options = PhysicsOptions()
    options.seed = UInt64(turn + 1)
    options.lensSpeed = lensSpeed
    for id in Self.values + Self.switches { options.delays[id] = .random(in: 0...5, using: &dice) }
    print("first frames, CAPTURE_TEST_SEED=\(Self.seed), turn \(turn), lens speed \(lensSpeed)")
    let size = FrameSize(width: 160, height: 120)
    let camera = StagedCamera(options, size: size, settingTimes: SeededNumbers(seed: options.seed))
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    let sink = FrameMeasurer(stepping: camera)
    try await device.join(sink, asking: VideoRequest(encoding: .raw, pixelFormat: .yuyv, size: size))
    var looks = Looks(sink, camera)

    try await device.calibrate([], through: FrameMeasurer(stepping: camera)) { _ in }
    for id in Self.values {
      #expect(
        await device.delays[id] == ControlDelay(frames: options.delay(of: id), provenance: .calibrated),
        "\(id)")
    }
    // What the calibration has set back is on its way, and the modes with it.
    await looks.step(30)
    var state = Scene()
    _ = try await device.set(state.whole)
    await looks.step(30)
    var seen: Set<String> = []
    let kinds = Set((Self.values + Self.switches).map { "\($0)" })
    // Each kind of change is to be among them: chance may leave one out for long.
    var made = 0
    while made < count || !seen.isSuperset(of: kinds) && made < 2 * count {
      made += 1
      if state.automatic == .focus { state.lens = 1 - (camera.truth.latest?.lensTarget ?? 0) }
      let next = state.changed(using: &dice)
      let known = camera.truth.effects.count
      let before = looks.last
      let outcome = try await device.set(next.change(from: state))
      seen.formUnion(camera.truth.effects.dropFirst(known).map { "\($0.control)" })
      let isBeginning = next.automatic != nil
      let isMoving = lensSpeed.isFinite && next.lens != state.lens
      state = next
      await looks.step(10)
      let applied = try await device.awaitChange(outcome.change)
      let frame = try #require(applied.frame).sequence
      #expect(applied.provenance == .calibrated)
      let truth = try #require(camera.truth.effects.dropFirst(known).map(\.effective).max())
      if state.automatic == .focus {
        // It looks for some frames before it moves the lens: nothing shows which was its first. It is taken to be as late as the lens.
        let lens = options.delay(of: .focusAbsolute) - options.delay(of: .autoFocus)
        #expect(frame == truth + UInt64(max(lens, 0)), "\(next)")
        if isBeginning { await looks.step(24) }
      } else {
        #expect(frame == truth, "\(next)")
        if isMoving {
          // The way begins with less than a picture shows for sure; at its end it does.
          await looks.step(8)
          let quiet = try #require(looks.difference(looks.last - 1, looks.last))
          let way = try #require(looks.difference(frame - 1, looks.last))
          #expect(way.isBeyond(quiet), "\(way), \(quiet): \(next)")
          continue
        }
        let step = try #require(looks.difference(frame - 1, frame))
        if isBeginning {
          // Nothing of a mode came before. It may begin with less than a picture shows for sure, and goes on to change it.
          let quiet = try #require(looks.noise(until: before))
          let earlier = try #require(looks.difference(frame - 2, frame - 1))
          await looks.step(24)
          let way = try #require(looks.difference(frame - 1, looks.last))
          #expect(
            (step.isBeyond(quiet) || way.isBeyond(quiet)) && earlier.isLike(quiet),
            "\(step), \(way), \(earlier), \(quiet): \(next)")
        } else {
          // What belongs to the same change may have come earlier; nothing comes later.
          let after = try #require(looks.difference(frame, frame + 1))
          let quiet = try #require(looks.noise(until: looks.last))
          #expect(step.isBeyond(after) && after.isLike(quiet), "\(step), \(after), \(quiet): \(next)")
        }
      }
    }
    #expect(seen.isSuperset(of: kinds), "\(kinds.subtracting(seen))")
    await device.leave(sink)
    await engine.shutDown()
  }
}

/// How the latest frames look.
private struct Looks {
  /// Root of the mean square difference of two frames' zones.
  struct Difference {
    /// In brightness and colour.
    var tone = 0.0
    var sharpness = 0.0

    func isBeyond(_ other: Difference) -> Bool {
      tone > 3 * other.tone || sharpness > 3 * other.sharpness
    }
    func isLike(_ other: Difference) -> Bool { tone < 3 * other.tone && sharpness < 3 * other.sharpness }
  }

  private let camera: StagedCamera
  private var frames: AsyncStream<MeasuredFrame>.Iterator
  private var latest: [UInt64: [Double]] = [:]
  private(set) var last: UInt64 = 0

  init(_ sink: FrameMeasurer, _ camera: StagedCamera) {
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
      self.last = last
    }
  }

  /// The most by which two of the frames until this one differ, while nothing is on its way: two alone may happen to be alike.
  func noise(until end: UInt64) -> Difference? {
    let pairs = (0..<3).compactMap { difference(end - $0 - 1, end - $0) }
    guard pairs.count == 3 else { return nil }
    return Difference(tone: pairs.map(\.tone).max()!, sharpness: pairs.map(\.sharpness).max()!)
  }

  /// `nil`: one was not seen.
  func difference(_ a: UInt64, _ b: UInt64) -> Difference? {
    guard let first = latest[a], let second = latest[b] else { return nil }
    var difference = Difference()
    for index in first.indices {
      let square = (first[index] - second[index]) * (first[index] - second[index])
      if index % 4 == 3 { difference.sharpness += square } else { difference.tone += square }
    }
    difference.tone = (difference.tone / Double(first.count)).squareRoot()
    difference.sharpness = (difference.sharpness / Double(first.count)).squareRoot()
    return difference
  }
}

/// Settings that look different from each other.
private struct Scene: Equatable {
  enum Mode: CaseIterable { case exposure, whiteBalance, focus }
  enum Colour: Equatable {
    case temperature(Double)
    /// Red's and blue's, over green's: each one unlike those of every other colour here, since either may be the last to come.
    case gains(Double, Double)
  }
  var duration = 0.004
  var gain = 16.0
  var colour = Colour.temperature(5000)
  var zoom = 1.0
  var lens = 0.9
  /// The latest level also while it is off.
  var torchLevel = 1.0
  var isTorchOn = false
  /// The one that the camera does by itself: the next change ends it.
  var automatic: Mode?

  /// One or two of them are others.
  func changed(using dice: inout SeededNumbers) -> Scene {
    var next = self
    if let automatic {
      next.automatic = nil
      switch automatic {
      case .exposure:
        next.duration = 0.001
        next.gain = .random(in: 4...8, using: &dice).rounded()
      case .whiteBalance: next.colour = Bool.random(using: &dice) ? .temperature(2800) : .gains(2, 0.5)
      case .focus: next.lens = lens > 0.5 ? 0.1 : 0.9
      }
      return next
    }
    if Int.random(in: 0..<3, using: &dice) == 0 {
      next.automatic = Mode.allCases.filter(isFarOff).randomElement(using: &dice)
      return next
    }
    for _ in 0...Int.random(in: 0...1, using: &dice) {
      switch Int.random(in: 0...6, using: &dice) {
      case 0:
        next.duration =
          duration > 0.003
          ? .random(in: 0.001...0.0018, using: &dice) : .random(in: 0.004...0.007, using: &dice)
      case 1:
        next.gain =
          gain > 14
          ? .random(in: 4...8, using: &dice).rounded() : .random(in: 24...48, using: &dice).rounded()
      case 2: next.colour = .temperature(colour == .temperature(2800) ? 6500 : 2800)
      case 3: next.zoom = zoom > 1.5 ? 1.2 : 2.5
      case 4: next.colour = colour == .gains(2, 0.5) ? .gains(1.5, 1.8) : .gains(2, 0.5)
      case 5: next.lens = lens > 0.5 ? 0.1 : 0.9
      default:
        next.isTorchOn = !isTorchOn
        if next.isTorchOn { next.torchLevel = torchLevel < 0.5 ? 1 : 0.3 }
      }
    }
    // A shorter duration and a higher gain, or the reverse, may look like none.
    let cancel = (0.5...2).contains(next.brightness / brightness)
    if next.duration != duration, next.gain != gain, cancel { next.gain = gain }
    return next
  }

  private var brightness: Double { duration * SensorModel.iso(gain: Int64(gain)) }

  /// From what a mode would come to.
  private func isFarOff(_ mode: Mode) -> Bool {
    switch mode {
    // A torch makes up for a short one.
    case .exposure: (duration > 0.003) == (gain > 14) && (duration > 0.003 || !isTorchOn)
    case .whiteBalance: colour != .temperature(5000) && colour != .temperature(6500)
    case .focus: true
    }
  }

  func change(from old: Scene) -> SettingsChange {
    var change = SettingsChange()
    if automatic != old.automatic {
      switch automatic {
      case .exposure: change.exposure.mode = .continuous
      case .whiteBalance: change.whiteBalance.mode = .continuous
      case .focus: change.focus.mode = .continuous
      case nil: break
      }
    }
    let exposes = old.automatic == .exposure
    if duration != old.duration || exposes { change.exposure.duration = (duration * 1e4).rounded() / 1e4 }
    if gain != old.gain || exposes { change.exposure.gain = gain }
    if colour != old.colour || old.automatic == .whiteBalance { change.whiteBalance.colour = colour.asked }
    if zoom != old.zoom { change.zoom = .init(factor: zoom) }
    if lens != old.lens { change.focus.lensPosition = lens }
    if isTorchOn != old.isTorchOn {
      change.torch = isTorchOn ? .init(mode: .on, level: torchLevel) : .init(mode: .off)
    }
    return change
  }

  /// All of it.
  var whole: SettingsChange {
    var change = SettingsChange()
    change.exposure = .init(duration: duration, gain: gain)
    change.whiteBalance.colour = colour.asked
    change.zoom = .init(factor: zoom)
    change.focus.lensPosition = lens
    return change
  }
}

extension Scene.Colour {
  fileprivate var asked: SettingsChange.WhiteBalance.Colour {
    switch self {
    case .temperature(let kelvin): .temperature(TemperatureAndTint(temperature: kelvin))
    case .gains(let red, let blue): .gains(WhiteBalanceGains(red: red, green: 1, blue: blue))
    }
  }
}
