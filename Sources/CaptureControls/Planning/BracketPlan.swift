import CaptureModel
import Glibc

/// The changes for the steps of a bracket, derived before the first step from the state of the camera.
package struct BracketPlan {
  package struct Step {
    /// The change that the step makes.
    package var change: SettingsChange
    /// The bias that the change comes to; `nil`: the step has none.
    package var bias: Double?
  }
  package private(set) var steps: [Step] = []

  /// The state of the camera when the bracket begins.
  package struct Start {
    /// The camera's name for messages.
    var camera: String
    var settings: CameraSettings
    var description: SettingsDescription
    /// The time between two frames.
    var interval: FrameInterval

    package init(
      camera: String, settings: CameraSettings, description: SettingsDescription, interval: FrameInterval
    ) {
      (self.camera, self.settings) = (camera, settings)
      (self.description, self.interval) = (description, interval)
    }
  }
  private let start: Start
  /// How far a bias may be off its step, in EV, where the driver's values are coarse.
  package static let tolerance = 1.0 / 3
  /// The tolerance for a bias beyond the end of a range, where coarse values explain nothing.
  static let toleranceAtEnd = tolerance / 10

  /// Throws `invalidArgument` for a step out of the camera's range, and `failedPrecondition` for an exposure that is too long for the stream's rate
  /// and for biases while nobody knows the exposure. Each error names the step's field.
  package init(_ steps: [BracketStep], from start: Start) throws(CaptureError) {
    self.start = start
    for (index, step) in steps.enumerated() {
      do throws(CaptureError) {
        self.steps.append(try plan(step))
      } catch {
        throw error.prefixed("step \(index + 1) of the bracket").naming(
          "\(BracketStep.path(of: index)).\(step.field)")
      }
    }
  }

  private func plan(_ step: BracketStep) throws(CaptureError) -> Step {
    var change = SettingsChange()
    switch step {
    case .bias(let bias): return try plan(bias: bias)
    case .exposure(let duration, let iso, let gain):
      if let range = start.description.exposure?.duration, range.contains(duration) {
        try requireRate(for: duration)
      }
      change.exposure = .init(duration: duration, iso: iso, gain: gain)
    case .lensPosition(let position): change.focus.lensPosition = position
    }
    return Step(change: change)
  }

  // MARK: Biases

  /// Makes the exposure longer or shorter. If the duration does not suffice, the ISO changes, on a camera that has one.
  private func plan(bias: Double) throws(CaptureError) -> Step {
    let (duration, iso) = try exposure()
    guard let durations = start.description.exposure?.duration else { throw noDuration() }
    let isos = start.description.exposure?.iso
    let wanted = duration * exp2(bias)
    let longest = min(durations.maximum, longestDuration)
    let chosen = durations.nearest(to: min(max(wanted, durations.minimum), longest), atMost: longest)
    var change = SettingsChange()
    change.exposure.duration = chosen
    var reached = chosen / duration
    if let iso, let isos, iso.value > 0 {
      let needed = iso.value * wanted / chosen
      // For a tiny difference the ISO is not changed.
      if abs(log2(wanted / chosen)) > 0.01 {
        let taken = isos.nearest(to: min(max(needed, isos.minimum), isos.maximum), atMost: isos.maximum)
        change.exposure.iso = taken
        reached *= taken / iso.value
      } else {
        change.exposure.iso = iso.value
      }
    }
    let actual = log2(reached)
    // Where the driver's values are coarse, a larger error is tolerated than at the end of the range.
    let isAtEnd = wanted > longest || wanted < durations.minimum
    guard abs(actual - bias) <= (isAtEnd ? Self.toleranceAtEnd : Self.tolerance) else {
      guard isAtEnd || !actual.isFinite else { throw tooCoarse(bias, from: duration, nearest: actual) }
      throw unreachable(bias, duration, wanted, durations, iso: iso?.value, isos)
    }
    return Step(change: change, bias: actual)
  }

  /// The exposure from which biases are derived.
  private func exposure() throws(CaptureError) -> (duration: Double, iso: Observed<Double>?) {
    guard let exposure = start.settings.exposure, let duration = exposure.duration else { throw noDuration() }
    guard duration.provenance != .unknown, duration.value > 0 else {
      throw CaptureError(
        .failedPrecondition,
        "\(start.camera) exposes by itself, and its driver does not tell how; let the node expose first (exposure mode auto), "
          + "set an exposure, or ask for exposures instead of biases",
        .init(.notReadable, possible: ["auto", "custom"]))
    }
    return (duration.value, exposure.iso.flatMap { $0.provenance == .unknown ? nil : $0 })
  }

  private func noDuration() -> CaptureError {
    CaptureError(
      .invalidArgument, "the exposure of \(start.camera) cannot be set, so it takes no bracket of exposures",
      .init(.notSupported))
  }

  private func unreachable(
    _ bias: Double, _ duration: Double, _ wanted: Double, _ durations: SettingsDescription.ValueRange,
    iso: Double?, _ isos: SettingsDescription.ValueRange?
  ) -> CaptureError {
    let up = iso.flatMap { iso in isos.map { $0.maximum / iso } } ?? 1
    let down = iso.flatMap { iso in isos.map { $0.minimum / iso } } ?? 1
    let most = log2(min(durations.maximum, longestDuration) / duration * up)
    let least = log2(max(durations.minimum, durations.step) / duration * down)
    let range = CaptureError.Details.Range(min(least, most), max(least, most))
    if bias > most, wanted <= durations.maximum, wanted > longestDuration { return tooLong(wanted, range) }
    return CaptureError(
      .invalidArgument,
      "from an exposure of \(duration.shortText) s \(start.camera) can go from \(range.minimum.tenths) to \(range.maximum.tenths) EV, not to "
        + "\(bias.shortText)",
      .init(.valueOutOfRange, asked: .number(bias), range: range))
  }

  private func tooCoarse(_ bias: Double, from duration: Double, nearest: Double) -> CaptureError {
    CaptureError(
      .invalidArgument,
      "from an exposure of \(duration.shortText) s \(start.camera) comes no nearer to \(bias.shortText) EV than \(nearest.tenths): "
        + "its short exposures are coarse",
      .init(.valueNotPossible, asked: .number(bias), possible: [nearest.tenths]))
  }

  // MARK: The stream's rate

  /// The longest exposure, in seconds: a frame cannot be exposed for longer than it lasts. A little more is allowed, because drivers round their
  /// rates.
  private var longestDuration: Double { start.interval.seconds * 1.001 }

  private func requireRate(for duration: Double) throws(CaptureError) {
    guard duration > longestDuration else { return }
    throw tooLong(duration, nil)
  }

  private func tooLong(_ duration: Double, _ biases: CaptureError.Details.Range?) -> CaptureError {
    let rate = (1 / duration * 100).rounded(.down) / 100
    return CaptureError(
      .failedPrecondition,
      "an exposure of \(duration.shortText) s needs at most \(rate.shortText) frames a second, and \(start.camera) gives "
        + "\(((start.interval.rate) * 100).rounded() / 100); set its frame duration to at least \(duration.shortText) s first",
      .init(
        .valueOutOfRange, asked: .number(duration),
        range: biases ?? .init(start.description.exposure?.duration?.minimum ?? 0, start.interval.seconds)))
  }
}

extension SettingsDescription.ValueRange {
  /// The nearest value to this one, up to `most`, that the driver can take.
  fileprivate func nearest(to value: Double, atMost most: Double) -> Double {
    if !items.isEmpty {
      return items.filter { $0 <= most }.min { abs(log2($0 / value)) < abs(log2($1 / value)) } ?? value
    }
    guard step > 0 else { return value }
    let steps = ((value - minimum) / step).rounded()
    let taken = minimum + steps * step
    return taken > most ? taken - step : taken
  }
}

extension Double {
  fileprivate var tenths: String { "\((self * 10).rounded() / 10)" }
}
