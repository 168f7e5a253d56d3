/// A value that was out of range or between the steps of what is possible, and the nearest possible one that is set instead.
public struct ClampedValue: Hashable, Sendable {
  /// A setting, "exposure.duration", or a control, "gain"; of an array's values, "name[3]".
  public var name: String
  public var asked: Double
  public var set: Double
  /// Between which it was; 0: it was out of range.
  public var step: Double

  public init(name: String, asked: Double, set: Double, step: Double = 0) {
    (self.name, self.asked, self.set, self.step) = (name, asked, set, step)
  }
}
