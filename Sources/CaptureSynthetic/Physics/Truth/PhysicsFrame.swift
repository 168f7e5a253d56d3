/// What is true of a frame.
package struct PhysicsFrame: Hashable, Sendable {
  package var sequence: UInt64 = 0
  /// When its exposure began, on the monotonic clock.
  package var start: UInt64 = 0
  /// Seconds that pixels gathered light: what `V4L2_CID_EXPOSURE_ABSOLUTE` says, at most the frame's interval.
  package var exposureDuration: Double
  /// `V4L2_CID_GAIN` of this frame.
  package var gain: Int64
  package var iso: Double
  /// Where the lens was in the middle of the exposure: 0 the far end of its travel, 1 the near end.
  package var lensPosition: Double
  /// Where it was sent.
  package var lensTarget: Double
  /// Of red and blue, green's being 1.
  package var gains: SensorColor
  package var zoom: Double
  /// Of the torch's power, 0…1.
  package var torch: Double
  package var world: PhysicsWorld
  /// Modes of the camera's own that were on.
  package var automation: PhysicsOptions.Automation
}
