import CaptureModel
import CaptureSystem

/// Something about a camera that whoever runs the node should hear of.
public struct CameraNotice: Hashable, Sendable {
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// No frames come; the stream is being restarted.
    case interrupted
    /// Frames come again.
    case resumed
    /// The stream ended by itself.
    case ended
    /// A truncated or corrupt frame was dropped.
    case corrupt
    case encodingFailed
    /// What clients had set was set again after the camera returned.
    case controlsRestored
    case controlNotRestored
    /// Its driver has not answered for long; nothing is ended.
    case slow
    /// For so long that it is as if it were not there.
    case notResponding
    /// It answers again.
    case responding
    /// The node can focus, expose or balance no longer.
    case automationEnded
  }
  public var camera: CameraID
  public var kind: Kind
  public var text: String
}

/// An error and when it was, `CLOCK_MONOTONIC` nanoseconds.
struct PastError: Sendable {
  var message: String
  var time = MonotonicClock.now()

  init(_ message: String) { self.message = message }
}
