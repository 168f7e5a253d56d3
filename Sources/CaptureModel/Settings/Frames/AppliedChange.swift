/// A change that frames have.
public struct AppliedChange: Hashable, Sendable {
  /// The change's number; 0: no client made it, see ``reading``.
  public var change: UInt64
  /// The number of a reading, if watchers have not been told of it yet; 0: there is no such reading.
  public var reading: UInt64 = 0
  /// The first frame that has the change; `nil`: the first frame of the next stream.
  public var frame: Position?
  /// How the frame is known: calibrated, observed or assumed.
  public var provenance: Provenance

  /// The place of a frame in its stream.
  public struct Position: Hashable, Sendable {
    /// The camera's own number of the frame: ``FrameInfo/sequence``.
    public var sequence: UInt64
    /// `CLOCK_MONOTONIC` nanoseconds.
    public var timestamp: UInt64

    public init(sequence: UInt64, timestamp: UInt64) {
      self.sequence = sequence
      self.timestamp = timestamp
    }
  }

  package init(change: UInt64, reading: UInt64 = 0, frame: Position?, provenance: Provenance) {
    (self.change, self.reading, self.frame, self.provenance) = (change, reading, frame, provenance)
  }
}
