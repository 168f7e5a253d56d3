import CaptureModel

extension FrameInfo {
  /// When the frame was taken.
  package var timestamp: FrameTimestamp {
    let clock: FrameTimestamp.Clock =
      switch timestampClock {
      case .monotonic: .monotonic
      case .copy: .copy
      default: .unknown
      }
    return FrameTimestamp(
      nanoseconds: timestampNs, clock: clock,
      source: timestampSource == .startOfExposure ? .startOfExposure : .endOfFrame)
  }
}
