public import CaptureModel

extension Observed {
  public init(_ observed: CaptureModel.Observed<Double>) {
    // An unknown setting is sent as 0: the model's number for it means nothing to a client.
    self.init(
      value: observed.provenance == .unknown ? 0 : observed.value,
      provenance: Provenance(observed.provenance))
  }

  package var model: CaptureModel.Observed<Double> { .init(value, provenance.model) }
}

extension Provenance: NumberedOnWire {
  package typealias Model = CaptureModel.Provenance

  /// `unknown` where the node sends no provenance, or one that only newer nodes know.
  package var model: CaptureModel.Provenance { known ?? .unknown }
}
