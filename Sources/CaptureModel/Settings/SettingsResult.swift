/// The result of a change of settings.
public struct SettingsResult: Hashable, Sendable {
  /// The change's number, by which one can wait for its first frame, and by which events name it. It rises with each change of the camera.
  public var change: UInt64
  /// The settings afterwards, as the driver reports them.
  public var settings: CameraSettings
  /// Whether a frame of the stream that runs will be the first that has the change. Otherwise the first frame of the next stream will be.
  public var isStreaming: Bool
  /// The values that were set differently from what was asked for.
  public var clamped: [ClampedValue]

  package init(change: UInt64, settings: CameraSettings, isStreaming: Bool, clamped: [ClampedValue]) {
    (self.change, self.settings) = (change, settings)
    (self.isStreaming, self.clamped) = (isStreaming, clamped)
  }
}
