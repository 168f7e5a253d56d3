/// How far a calibration is.
public struct CalibrationProgress: Hashable, Sendable {
  /// The control that is being measured, from 1, of so many.
  public var step: Int
  public var steps: Int
  /// What is being done, for a person.
  public var text: String
  /// With the last of a control.
  public var result: Result?

  public struct Result: Hashable, Sendable {
    public var id: ControlID
    public var name: String
    /// A change shows in the picture.
    public var isVisible: Bool
    /// `nil`: does not show, or the trials do not agree.
    public var delay: MeasuredDelay?

    public init(id: ControlID, name: String, isVisible: Bool, delay: MeasuredDelay?) {
      (self.id, self.name, self.isVisible, self.delay) = (id, name, isVisible, delay)
    }
  }

  public init(step: Int, steps: Int, text: String, result: Result? = nil) {
    (self.step, self.steps, self.text, self.result) = (step, steps, text, result)
  }
}
