/// How a camera had settled when a photo was taken (`AVCaptureDevice.isAdjustingExposure`): its automatic exposure, focus and white
/// balance were at rest.
public struct PhotoSettling: Hashable, Sendable {
  /// How that is known: `reported` by the node's mode or the driver, or since nothing is automatic; `observed` in the pictures; `assumed` where the stream
  /// has run for as long as the photo would have waited, or what was waited for did not come.
  public var provenance: Provenance
  /// How long the photo waited for it.
  public var waited: Duration
  /// How many frames it looked at meanwhile.
  public var frames: Int

  /// The longest wait where a request does not say one.
  public static let usualBound = Duration.seconds(2)

  public init(_ provenance: Provenance, waited: Duration = .zero, frames: Int = 0) {
    self.provenance = provenance
    self.waited = waited
    self.frames = frames
  }
}
