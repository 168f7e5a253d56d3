/// The settings that a frame was taken with, as far as they are known. In place of a setting that is `nil`, the value that was set some frames before
/// is assumed.
public struct KnownSettings: Hashable, Sendable {
  public var exposure: Exposure?
  /// The part of the frame's interval that its exposure takes, 0 to 1.
  public var exposedPart: Double?
  /// The position to which the lens was sent, 0 to 1. It may still be moving there.
  public var lensPosition: Double?
  public var whiteBalance: WhiteBalanceSetting?

  public init(
    exposure: Exposure? = nil, exposedPart: Double? = nil, lensPosition: Double? = nil,
    whiteBalance: WhiteBalanceSetting? = nil
  ) {
    self.exposedPart = exposedPart
    self.exposure = exposure
    self.lensPosition = lensPosition
    self.whiteBalance = whiteBalance
  }
}
