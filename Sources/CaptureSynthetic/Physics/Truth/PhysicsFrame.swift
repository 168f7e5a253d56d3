/// The true state of a frame.
package struct PhysicsFrame: Hashable, Sendable {
  package var sequence: UInt64 = 0
  /// When its exposure began, on the monotonic clock.
  package var start: UInt64 = 0
  /// How many seconds pixels collected light: the value of `V4L2_CID_EXPOSURE_ABSOLUTE`, at most the frame's interval.
  package var exposureDuration: Double
  /// `V4L2_CID_GAIN` of this frame.
  package var gain: Int64
  package var iso: Double
  /// Where the lens was in the middle of the exposure: 0 the far end of its travel, 1 the near end.
  package var lensPosition: Double
  /// The position to which the lens was sent.
  package var lensTarget: Double
  /// The gains of red and blue; green's is 1.
  package var gains: SensorColor
  package var zoom: Double
  /// The torch's power, 0…1.
  package var torch: Double
  package var world: PhysicsWorld
  /// The camera's own modes that were on.
  package var automation: PhysicsOptions.Automation
}
