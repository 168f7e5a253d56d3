/// Frames between a change of a control and the first frame that has it: 0 is the first frame whose exposure began after the change.
public struct ControlDelay: Hashable, Sendable {
  /// 0 and more.
  public var frames: Int
  /// `calibrated`: measured from this camera's pixels; `observed`: seen in them when the node set it; `assumed`: what such cameras do.
  public var provenance: Provenance

  public init(frames: Int, provenance: Provenance) {
    self.frames = frames
    self.provenance = provenance
  }
}
