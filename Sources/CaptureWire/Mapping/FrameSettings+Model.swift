public import CaptureModel

extension Observed {
  public init(_ observed: CaptureModel.Observed<Double>) {
    // The model's number for an unknown setting means nothing to a client.
    self.init(
      value: observed.provenance == .unknown ? 0 : observed.value,
      provenance: Provenance(observed.provenance))
  }
}

extension Provenance {
  public init(model provenance: CaptureModel.Provenance) { self.init(provenance) }
}

extension FrameSettings {
  public init(_ settings: CaptureModel.FrameSettings) {
    self.init(
      lensPosition: settings.lensPosition.map { Observed($0) },
      exposureDuration: settings.exposureDuration.map { Observed($0) },
      iso: settings.iso.map { Observed($0) },
      gain: settings.gain.map { Observed($0) }, exposureBias: settings.exposureBias.map { Observed($0) },
      temperature: settings.temperature.map { Observed($0) }, tint: settings.tint.map { Observed($0) },
      zoomFactor: settings.zoomFactor.map { Observed($0) },
      torchLevel: settings.torchLevel.map { Observed($0) },
      change: settings.change,
      whiteBalanceGains: settings.whiteBalanceGains.flatMap { ColourGains($0) },
      whiteBalanceGainsProvenance: Provenance(settings.whiteBalanceGains?.provenance))
  }
}

extension FramePosition {
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
}
