/// How many frames pass between a change of a control and the first frame that has it: 0 is the first frame whose exposure began after the change.
public struct ControlDelay: Hashable, Sendable {
  /// 0 or more.
  public var frames: Int
  /// `calibrated`: measured in this camera's pictures by a calibration; `observed`: seen in them after the node set the control; `assumed`: usual for
  /// such cameras.
  public var provenance: Provenance

  public init(frames: Int, provenance: Provenance) {
    self.frames = frames
    self.provenance = provenance
  }
}
