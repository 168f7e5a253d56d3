import CaptureNode
import Glibc

/// Tells systemd that the node is well (`WatchdogSec=`), and which cameras are not.
///
/// The ping leaves from the loop that serves clients, once that and the engine's queue have answered a probe. So a node that serves nobody is restarted, and
/// one with a camera that hangs is not.
enum ServiceWatchdog {
  /// Goes on until the process ends. It does nothing where systemd watches nothing: `$WATCHDOG_USEC` is not there, or is another process's.
  static func start(_ node: CameraNode) {
    guard let period = period(environment: { getenv($0).map { String(cString: $0) } }, process: getpid())
    else {
      return
    }
    Task {
      let status = ServiceStatus()
      while !Task.isCancelled {
        node.probe { ServiceNotifier.send("WATCHDOG=1") }
        status.tell(node.hungCameras)
        try? await Task.sleep(for: period)
      }
    }
  }

  /// A third of the time after which systemd takes the node for dead (`sd_watchdog_enabled(3)`).
  static func period(environment: (String) -> String?, process: Int32) -> Duration? {
    guard let limit = environment("WATCHDOG_USEC").flatMap(Int.init), limit > 0 else { return nil }
    if let owner = environment("WATCHDOG_PID"), Int32(owner) != process { return nil }
    return .microseconds(max(limit / 3, 1))
  }
}
