/// A change that frames have.
public struct AppliedChange: Hashable, Sendable {
  /// 0: nobody's, see ``finding``.
  public var change: UInt64
  /// What was read from the camera that is news to somebody, by its number; 0: nothing.
  public var finding: UInt64 = 0
  /// The first frame that has it; `nil`: the next stream's.
  public var frame: Position?
  /// How the frame is known: calibrated, observed or assumed.
  public var provenance: Provenance

  /// A frame in its stream.
  public struct Position: Hashable, Sendable {
    public var sequence: UInt64
    /// `CLOCK_MONOTONIC` nanoseconds.
    public var timestamp: UInt64

    public init(sequence: UInt64, timestamp: UInt64) {
      self.sequence = sequence
      self.timestamp = timestamp
    }
  }

  package init(change: UInt64, finding: UInt64 = 0, frame: Position?, provenance: Provenance) {
    (self.change, self.finding, self.frame, self.provenance) = (change, finding, frame, provenance)
  }
}
