public import CaptureModel

extension Discontinuity {
  public init(_ discontinuity: StreamDiscontinuity) {
    self =
      switch discontinuity.kind {
      case .resumed: .resumed
      case .reconfigured: .reconfigured
      }
  }
}
