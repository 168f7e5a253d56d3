/// The progress of a calibration.
public struct CalibrationProgress: Hashable, Sendable {
  /// The number of the control that is being measured, from 1.
  public var step: Int
  /// How many controls are measured.
  public var steps: Int
  /// What the calibration does now, for a person.
  public var text: String
  /// The result for the control; only the last progress of that control has it.
  public var result: Result?

  /// What was found for a control.
  public struct Result: Hashable, Sendable {
    /// The driver's number of the control.
    public var id: ControlID
    /// The driver's name of the control, as one word.
    public var name: String
    /// Whether a change of the control shows in the picture.
    public var isVisible: Bool
    /// `nil`: the change does not show, or the trials do not agree.
    public var delay: MeasuredDelay?

    public init(id: ControlID, name: String, isVisible: Bool, delay: MeasuredDelay?) {
      (self.id, self.name, self.isVisible, self.delay) = (id, name, isVisible, delay)
    }
  }

  public init(step: Int, steps: Int, text: String, result: Result? = nil) {
    (self.step, self.steps, self.text, self.result) = (step, steps, text, result)
  }
}
