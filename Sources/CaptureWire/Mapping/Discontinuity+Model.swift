public import CaptureModel

extension Discontinuity {
  public init(_ discontinuity: StreamDiscontinuity) {
    self =
      switch discontinuity.kind {
      case .resumed: .resumed
      case .reconfigured: .reconfigured
      }
  }

  /// `reason`: what the frame's message says, for a person. `nil`: the message has an ordinary frame, or announces an
  /// interruption.
  package func model(_ reason: String) -> StreamDiscontinuity? {
    switch self {
    case .resumed: StreamDiscontinuity(.resumed, reason: reason)
    case .reconfigured: StreamDiscontinuity(.reconfigured, reason: reason)
    default: nil
    }
  }
}
