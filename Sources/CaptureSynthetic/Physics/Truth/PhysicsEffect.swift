import CaptureModel

/// A setting and the frames it concerns.
package struct PhysicsEffect: Hashable, Sendable {
  package var control: ControlID
  package var value: Int64
  /// When the camera took it, on the monotonic clock; inside the call.
  package var time: UInt64
  /// Streams count from 0; set while none ran: the next one.
  package var stream: Int
  /// The first frame whose exposure began at ``time`` or later.
  package var latched: UInt64
  /// The first frame that has the value: the control's delay after ``latched``. 0 for what was set before the stream.
  package var effective: UInt64
}
