import CaptureModel
import CaptureSystem

/// Something that happened to a camera, for the node's log and for the session that has the camera.
public struct CameraNotice: Hashable, Sendable {
  public enum Kind: Hashable, Sendable, CaseIterable {
    case appeared
    case vanished
    /// The stream continues in another format.
    case reformatted
    /// No frames come; the stream is being restarted.
    case interrupted
    /// Frames come again.
    case resumed
    /// The stream ended by itself.
    case ended
    /// A truncated or corrupt frame was dropped.
    case corrupt
    case encodingFailed
    /// Clients' settings were set again after the camera returned.
    case controlsRestored
    case controlNotRestored
    /// The driver fails to describe a control, which is left out, or to read it, so that it has no value.
    case controlFailing
    /// The driver has not answered for a while. Calls that wait for it go on waiting.
    case slow
    /// The driver has not answered for so long that the camera counts as absent.
    case notResponding
    /// The driver answers again.
    case responding
    /// The node can no longer focus, expose or balance.
    case automationEnded
  }
  public var camera: CameraID
  public var kind: Kind
  public var text: String
  /// For ``Kind/controlFailing``: which control failed how. Notices of different failures are of different kinds for a log.
  package var failure: String?

  /// A log has one line a second for notices whose kinds are the same.
  public var logKind: String {
    let common = "\(kind) \(camera)"
    return failure.map { "\(common) \($0)" } ?? common
  }
}

/// An error, and when it occurred, in `CLOCK_MONOTONIC` nanoseconds.
struct PastError: Sendable {
  var message: String
  var time = MonotonicClock.now()

  init(_ message: String) { self.message = message }
}
