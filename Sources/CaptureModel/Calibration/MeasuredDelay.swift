/// A delay that a calibration measured.
public struct MeasuredDelay: Hashable, Sendable, Codable {
  /// How many frames pass between a change and the first frame that has it: 0 is the first frame whose exposure began after the change.
  public var frames: Int
  /// How many of the trials agree.
  public var agreeing: Int
  /// How many times it was measured.
  public var trials: Int

  public init(frames: Int, agreeing: Int, trials: Int) {
    (self.frames, self.agreeing, self.trials) = (frames, agreeing, trials)
  }
}
