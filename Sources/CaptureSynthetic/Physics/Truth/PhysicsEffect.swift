import CaptureModel

/// A setting, and the frames that it affects.
package struct PhysicsEffect: Hashable, Sendable {
  package var control: ControlID
  package var value: Int64
  /// When the camera took the value, in `CLOCK_MONOTONIC` nanoseconds. The time lies inside the call that set it.
  package var time: UInt64
  /// The number of the stream, from 0. A setting that was made while no stream ran has the number of the next one.
  package var stream: Int
  /// The first frame whose exposure began at ``time`` or later.
  package var latched: UInt64
  /// The first frame that has the value: the control's delay after ``latched``. 0 for a setting before the stream.
  package var effective: UInt64
}
