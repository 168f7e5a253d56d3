public import CaptureModel

extension CapturePhotoRequest {
  /// The steps of a bracket; empty: a photo alone. Throws `invalidArgument` for steps that no camera could do.
  public func bracketSteps() throws(CaptureError) -> [CaptureModel.BracketStep] {
    var steps: [CaptureModel.BracketStep] = []
    for (index, step) in (settings?.bracket ?? []).enumerated() {
      do throws(CaptureError) { steps.append(try step.model()) } catch {
        let field = error.details?.field.map { ".\($0)" } ?? ""
        throw error.naming(CaptureModel.BracketStep.path(of: index) + field)
      }
    }
    try steps.validate()
    guard !steps.isEmpty, let when = settings?.when, when.kind != nil, when.kind != .next(true) else {
      return steps
    }
    throw CaptureError(
      .invalidArgument, "a bracket is taken of the next frames, not of another moment",
      .init(.fieldsExclusive, field: PhotoTime.field))
  }
}

extension BracketStep {
  package init(_ step: CaptureModel.BracketStep) {
    var change = CaptureModel.SettingsChange()
    switch step {
    case .bias(let bias):
      self.init(compensation: .bias(bias))
      return
    case .exposure(let duration, let iso, let gain):
      change.exposure = .init(duration: duration, iso: iso, gain: gain)
    case .lensPosition(let position): change.focus.lensPosition = position
    }
    self.init(change: SettingsChange(change))
  }

  fileprivate func model() throws(CaptureError) -> CaptureModel.BracketStep {
    let asked = try (change ?? SettingsChange()).model()
    if case .bias(let bias)? = compensation {
      guard asked.isEmpty else {
        throw CaptureError(
          .invalidArgument, "a step of a bracket has a bias or other settings, not both",
          .init(.fieldsExclusive, field: "bias"))
      }
      return .bias(bias)
    }
    var rest = asked
    rest.exposure.duration = nil
    rest.exposure.iso = nil
    rest.exposure.gain = nil
    rest.focus.lensPosition = nil
    guard rest.isEmpty, change?.controls.isEmpty ?? true else {
      throw CaptureError(
        .invalidArgument,
        "a step of a bracket sets a bias, a duration with an ISO or a gain, or a lens position, and nothing else",
        .init(.valueNotPossible, field: "change", possible: Self.possible))
    }
    if asked.exposure.iso != nil, asked.exposure.gain != nil {
      throw CaptureError(
        .invalidArgument, "iso and gain are the same thing in two units; set one of them",
        .init(.fieldsExclusive, field: "change.exposure.gain"))
    }
    switch (asked.exposure.duration, asked.focus.lensPosition) {
    case (let duration?, nil):
      return .exposure(duration: duration, iso: asked.exposure.iso, gain: asked.exposure.gain)
    case (nil, let position?) where asked.exposure == .init(): return .lensPosition(position)
    case (nil, nil):
      throw CaptureError(
        .invalidArgument, "a step of the bracket has no value: a bias, a duration or a lens position",
        .init(.valueMissing, field: "change.exposure.duration", possible: Self.possible))
    default:
      throw CaptureError(
        .invalidArgument, "a step of a bracket sets the exposure or the lens, not both",
        .init(.fieldsExclusive, field: "change.focus.lens_position"))
    }
  }

  private static let possible = [
    "bias", "exposure.duration", "exposure.iso", "exposure.gain", "focus.lens_position",
  ]
}

extension BracketOutcome {
  public init(_ outcome: CaptureModel.BracketOutcome) {
    self.init(
      provenance: Provenance(outcome.provenance), waitedFrames: UInt32(clamping: outcome.waitedFrames),
      bias: outcome.bias.map { Observed(value: $0, provenance: .derived) })
  }

  package var model: CaptureModel.BracketOutcome {
    CaptureModel.BracketOutcome(
      provenance.model, waitedFrames: Int(waitedFrames), bias: bias?.value)
  }
}

extension SequencePlace {
  public init(_ place: CaptureModel.SequencePlace) {
    self.init(
      number: UInt32(clamping: place.number), count: UInt32(clamping: place.count),
      lost: UInt32(clamping: place.lost))
  }

  package var model: CaptureModel.SequencePlace { .init(Int(number), of: Int(count), lost: Int(lost)) }
}
