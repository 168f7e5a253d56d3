import CaptureModel
import CaptureSystem

/// What takes the frames of a camera's stream. It joins the stream and leaves it (``Device/join(_:asking:)``); the stream knows nothing of
/// what it does with them.
///
/// Frames come one after the other, on the capture thread: nothing here may block. A call that had begun may still come after the consumer has left.
package protocol FrameConsumer: AnyObject, Sendable {
  /// The stream stops when no consumer keeps it running.
  var keepsStreamRunning: Bool { get }
  /// Who takes the frames, for a person: "client 7 (unix)".
  var holder: String { get }
  /// Asked by cameras that make frames on demand, before anything is made. One that returns `true` may still decline the frame.
  func wants(_ moment: FrameMoment) -> Bool
  /// A frame. Whoever keeps it keeps the driver's buffer.
  func take(_ frame: TakenFrame) -> NextFrame
  /// A frame goes by that nobody gets.
  func passed(_ moment: FrameMoment, _ why: PassReason)
  /// The stream is interrupted, short of buffers, or over; after its end no frames come.
  func streamEvent(_ event: StreamEvent)
}

extension FrameConsumer {
  package func passed(_ moment: FrameMoment, _ why: PassReason) {}
}

/// Whether a consumer wants further frames.
package enum NextFrame: Sendable {
  case stay
  /// It leaves the stream.
  case done
}

/// Why nobody gets a frame.
package enum PassReason: Sendable {
  /// No consumer wanted it, so it was not made.
  case unwanted
  /// It came damaged.
  case corrupt
}

/// A frame's place in its stream and in time.
package struct FrameMoment: Sendable {
  /// Position among the stream's frames, from 1: those that nobody gets are counted too.
  package var ordinal: UInt64
  /// The stream's discontinuities up to here.
  package var epoch: UInt64
  /// When the frame was taken, as far as its timestamp tells; else when it came. `CLOCK_MONOTONIC` nanoseconds.
  package var time: UInt64
  /// When it came, `CLOCK_MONOTONIC` nanoseconds.
  package var arrival: UInt64
}

/// A frame with its place in its stream.
package struct TakenFrame: Sendable {
  package var frame: Frame
  package var moment: FrameMoment
  /// The latest discontinuity of the stream up to here.
  package var discontinuity: StreamDiscontinuity?
  /// What it was taken with, as far as anyone can know.
  package var settings: FrameSettings?
  /// What the node's zoom keeps of it.
  package var zoom = PictureTransform.identity
  /// What lit it, where that was decided for this frame.
  var flash: FlashOutcome?
  /// How the camera had settled before it, where it was taken for a photo.
  var settling: PhotoSettling?
}
