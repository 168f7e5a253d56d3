/// A value that was out of range, or between two possible values, and the nearest possible one that was set instead.
public struct ClampedValue: Hashable, Sendable {
  /// The name of a setting, "exposure.duration", or of a control, "gain". For a value of an array, "name[3]".
  public var name: String
  /// What was asked for, in the setting's unit.
  public var asked: Double
  /// What was set, in the setting's unit.
  public var set: Double
  /// The distance between the two possible values next to the value that was asked for; 0: that value was out of range.
  public var step: Double

  public init(name: String, asked: Double, set: Double, step: Double = 0) {
    (self.name, self.asked, self.set, self.step) = (name, asked, set, step)
  }
}
