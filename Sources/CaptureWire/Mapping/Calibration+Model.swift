public import CaptureModel

extension CalibrationEvent {
  public init(_ progress: CalibrationProgress) {
    self.init(
      step: UInt32(progress.step), steps: UInt32(progress.steps), text: progress.text,
      result: progress.result.map { .init($0) })
  }

  package var model: CalibrationProgress {
    CalibrationProgress(step: Int(step), steps: Int(steps), text: text, result: result?.model)
  }
}

extension ControlDelay {
  /// For a control without a delay, the message has 0 trials: its trials did not agree, or showed nothing.
  fileprivate init(_ result: CalibrationProgress.Result) {
    self.init(
      control: result.name, controlID: result.id.rawValue, visible: result.isVisible,
      delayFrames: UInt32(result.delay?.frames ?? 0), agreeing: UInt32(result.delay?.agreeing ?? 0),
      trials: UInt32(result.delay?.trials ?? 0))
  }

  fileprivate var model: CalibrationProgress.Result {
    .init(
      id: ControlID(rawValue: controlID), name: control, isVisible: visible,
      delay: trials == 0
        ? nil : MeasuredDelay(frames: Int(delayFrames), agreeing: Int(agreeing), trials: Int(trials)))
  }
}
