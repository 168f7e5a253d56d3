/// What is known of the settings that a frame was taken with. What is `nil` is not known, and then assumed from what was set.
public struct KnownSettings: Hashable, Sendable {
  public var exposure: Exposure?
  /// The part of the frame's interval that its exposure takes, 0…1.
  public var exposedPart: Double?
  /// 0…1; where the lens was told to be, it may still be moving there.
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
