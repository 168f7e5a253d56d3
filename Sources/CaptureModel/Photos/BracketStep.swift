/// What a photo of a bracket has in place of the camera's settings (`AVCaptureBracketedStillImageSettings`).
public enum BracketStep: Hashable, Sendable {
  /// The difference, in EV, from the exposure that the camera has when the bracket begins (`AVCaptureAutoExposureBracketedStillImageSettings`).
  case bias(Double)
  /// `duration`: seconds. `iso`, or `gain` in the driver's units; `nil`: it stays as it is (`AVCaptureManualExposureBracketedStillImageSettings`).
  case exposure(duration: Double, iso: Double? = nil, gain: Double? = nil)
  /// 0 (nearest) to 1 (infinity).
  case lensPosition(Double)

  /// The most steps of a bracket.
  public static let most = NodeLimit.bracketSteps.usual
  /// The possible biases, in EV.
  public static let biases = -16.0...16.0

  /// The place of a step in the request.
  package static func path(of index: Int) -> String { "settings.bracket[\(index)]" }

  /// The kind, for a person.
  package var kind: String {
    switch self {
    case .bias: "a bias"
    case .exposure: "an exposure"
    case .lensPosition: "a lens position"
    }
  }

  /// The field of its first value, within the step.
  package var field: String {
    switch self {
    case .bias: "bias"
    case .exposure: "change.exposure.duration"
    case .lensPosition: "change.focus.lens_position"
    }
  }
}

extension [BracketStep] {
  /// Throws `resourceExhausted` for too many steps, and `invalidArgument` for steps of different kinds and for values that no camera could have.
  package func validate() throws(CaptureError) {
    guard count <= BracketStep.most else {
      throw NodeLimit.bracketSteps.exceeded(
        "a bracket of \(count) photos is too long; \(BracketStep.most) are the most that one call takes")
    }
    for (index, step) in enumerated() {
      let path = "\(BracketStep.path(of: index)).\(step.field)"
      guard let first, step.kind == first.kind else {
        throw CaptureError(
          .invalidArgument,
          "step \(index + 1) of the bracket is \(step.kind), and the first is \(self.first?.kind ?? ""); all have to be of one kind",
          .init(.fieldsExclusive, field: path))
      }
      if let wrong = step.wrongValue {
        throw CaptureError(
          .invalidArgument, "\(wrong.what) cannot be; \(wrong.possible)",
          .init(
            .valueOutOfRange, field: "\(BracketStep.path(of: index)).\(wrong.field)",
            asked: .number(wrong.value),
            range: wrong.range))
      }
    }
  }
}

extension BracketStep {
  fileprivate typealias Wrong = (
    what: String, value: Double, field: String, possible: String, range: CaptureError.Details.Range?
  )

  /// A value that no camera could have; `nil`: there is none.
  fileprivate var wrongValue: Wrong? {
    switch self {
    case .bias(let bias) where !Self.biases.contains(bias):
      let range = Self.biases
      return (
        "a bias of \(bias.shortText) EV", bias, field,
        "biases go from \(range.lowerBound.shortText) to \(range.upperBound.shortText)",
        .init(range.lowerBound, range.upperBound)
      )
    case .lensPosition(let position) where !(0...1).contains(position):
      return (
        "a lens position of \(position.shortText)", position, field,
        "they go from 0, the nearest, to 1, infinity", .init(0, 1)
      )
    case .exposure(let duration, let iso, let gain):
      if !(duration > 0 && duration.isFinite) {
        return ("a duration of \(duration.shortText) s", duration, field, "it has to be more than 0", nil)
      }
      if let iso, !(iso > 0 && iso.isFinite) {
        return ("an ISO of \(iso.shortText)", iso, "change.exposure.iso", "it has to be more than 0", nil)
      }
      // A negative gain is possible: a driver may count its gain from below 0.
      guard let gain, !gain.isFinite else { return nil }
      return ("a gain of \(gain.shortText)", gain, "change.exposure.gain", "it has to be a number", nil)
    case .bias, .lensPosition: return nil
    }
  }
}

/// How it is known that a photo of a bracket has the settings of its step.
public struct BracketOutcome: Hashable, Sendable {
  /// `reported`: nothing had to change. `calibrated`, `observed`: the frame has the settings according to a delay that was measured or seen; for a
  /// lens, `observed` may also mean that the sharpness was at rest. `assumed`: as many frames passed as the slowest known camera needs.
  public var provenance: Provenance
  /// How many frames passed before the photo's.
  public var waitedFrames: Int
  /// The difference, in EV, from the exposure when the bracket began, computed from the values that the driver took; `nil`: the step has no bias.
  public var bias: Double?

  public init(_ provenance: Provenance, waitedFrames: Int, bias: Double? = nil) {
    (self.provenance, self.waitedFrames, self.bias) = (provenance, waitedFrames, bias)
  }
}
