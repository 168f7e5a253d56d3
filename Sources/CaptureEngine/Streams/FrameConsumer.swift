import CaptureModel
import CaptureSystem

/// Takes the frames of a camera's stream. It joins the stream and leaves it (``Device/join(_:asking:)``). The stream does not know what the consumer
/// does with frames.
///
/// Frames come one after the other, on the capture thread: nothing here may block. A call that was on its way when the consumer left may still come
/// after that.
package protocol FrameConsumer: AnyObject, Sendable {
  /// Whether the consumer keeps the stream running. The stream stops when the last such consumer leaves, by ``Device/leave(_:)`` or by returning
  /// `.done`. Only a session's stream runs until the session stops it.
  var keepsStreamRunning: Bool { get }
  /// The name of the client that takes the frames, for a person: "client 7 (unix)".
  var holder: String { get }
  /// Whether the consumer wants a frame. Cameras that make frames on demand ask before they make one. The consumer may still decline the frame
  /// afterwards.
  func wants(_ moment: FrameMoment) -> Bool
  /// Takes a frame. While it keeps the frame, it keeps the driver's buffer.
  func take(_ frame: TakenFrame) -> NextFrame
  /// Called for a frame that the consumer is not offered.
  func skipped(_ moment: FrameMoment, _ why: SkipReason)
  /// Called when the stream is interrupted, short of buffers, or over. After the stream's end no frames come.
  func streamEvent(_ event: StreamEvent)
}

extension FrameConsumer {
  package func skipped(_ moment: FrameMoment, _ why: SkipReason) {}
}

/// Whether a consumer wants further frames.
package enum NextFrame: Sendable {
  case stay
  /// The consumer leaves the stream. It gets no more frames, and hears no more of the stream.
  case done
}

/// The reason why a consumer is not offered a frame.
package enum SkipReason: Sendable {
  /// No consumer wanted the frame, so it was not made.
  case unwanted
  /// The frame was damaged.
  case corrupt
  /// The frame came while the camera was settling after a switch of its format.
  case withheld
}

/// The place of a frame in its stream and in time.
package struct FrameMoment: Sendable {
  /// The frame's number in the stream, from 1. Frames that no consumer gets count too.
  package var ordinal: UInt64
  /// The number of the stream's discontinuities so far.
  package var epoch: UInt64
  /// When the frame was taken, if its timestamp says so; otherwise when it came. `CLOCK_MONOTONIC` nanoseconds.
  package var time: UInt64
  /// When the frame came, in `CLOCK_MONOTONIC` nanoseconds.
  package var arrival: UInt64
}

/// A frame, and its place in its stream.
package struct TakenFrame: Sendable {
  package var frame: Frame
  package var moment: FrameMoment
  /// The stream's latest discontinuity so far.
  package var discontinuity: StreamDiscontinuity?
  /// The settings with which the frame was taken, as far as they are known.
  package var settings: FrameSettings?
  /// The part of the frame that the node's zoom keeps.
  package var zoom = PictureTransform.identity
  /// Why the frame shows nothing: what was wrong at the camera's input when the frame came. `nil`: the frame shows a picture.
  package var noSignal: String?

  /// Returns a copy of the frame that does not hold the driver's buffer.
  func copied(into pool: PayloadPool) -> TakenFrame {
    var copy = self
    copy.frame = Frame(
      payload: frame.payload.copy(into: pool), format: frame.format, sequence: frame.sequence,
      timestamp: frame.timestamp, discontinuity: frame.discontinuity)
    return copy
  }
}
