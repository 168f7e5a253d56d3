/// How a camera had settled when a photo was taken (`AVCaptureDevice.isAdjustingExposure`): its automatic exposure, focus and white
/// balance were at rest.
public struct PhotoSettling: Hashable, Sendable {
  /// How it is known that the camera had settled. `reported`: the node's mode or the driver said so, or nothing is automatic. `observed`: pictures
  /// show it. `assumed`: the stream had run for as long as the photo would have waited, or the photo has waited in vain.
  public var provenance: Provenance
  /// How long the photo waited until the camera had settled.
  public var waited: Duration
  /// How many frames were looked at meanwhile.
  public var frames: Int

  /// The longest wait where a request does not say one.
  public static let usualBound = Duration.seconds(2)

  public init(_ provenance: Provenance, waited: Duration = .zero, frames: Int = 0) {
    self.provenance = provenance
    self.waited = waited
    self.frames = frames
  }
}
