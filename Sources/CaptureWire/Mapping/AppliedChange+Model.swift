public import CaptureModel

extension FramePosition {
  package var model: CaptureModel.AppliedChange.Position { .init(sequence: sequence, timestamp: timestampNs) }

  public init(_ position: CaptureModel.AppliedChange.Position) {
    self.init(sequence: position.sequence, timestampNs: position.timestamp)
  }
}

extension AppliedChange {
  public init(_ applied: CaptureModel.AppliedChange) {
    self.init(
      change: applied.change, frame: applied.frame.map { FramePosition($0) },
      nextStream: applied.frame == nil,
      provenance: Provenance(applied.provenance))
  }

  package var model: CaptureModel.AppliedChange {
    .init(change: change, frame: frame?.model, provenance: provenance.model)
  }
}
