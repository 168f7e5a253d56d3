import CaptureNode
import Glibc

/// Tells systemd that the node is well (`WatchdogSec=`), and which cameras are not (`STATUS=`).
///
/// The loop that serves clients sends the ping, once the loop and the engine's queue have answered a probe. So a node that serves nobody is
/// restarted, and a node with a camera that hangs is not.
enum ServiceWatchdog {
  /// How often the cameras are looked at if systemd waits for no pings.
  private static let pace = Duration.seconds(10)

  /// Goes on until the process ends. Does nothing if `$NOTIFY_SOCKET` is not set. Pings only if systemd waits for pings: `$WATCHDOG_USEC` is set, and
  /// `$WATCHDOG_PID` names no other process.
  static func start(_ node: CameraNode) {
    guard ServiceNotifier.isHeard else { return }
    let period = period(environment: { getenv($0).map { String(cString: $0) } }, process: getpid())
    Task { await watch(node, pings: period != nil, every: period ?? pace) { ServiceNotifier.send($0) } }
  }

  /// Goes on until its task is cancelled. `tell`: gets each state, as sd_notify(3) has it.
  static func watch(
    _ node: CameraNode, pings: Bool, every period: Duration, tell: @escaping @Sendable (String) -> Void
  ) async {
    var status = ServiceStatus()
    while !Task.isCancelled {
      if pings { node.probe { tell("WATCHDOG=1") } }
      if let news = status.news(node.hungCameras) { tell(news) }
      try? await Task.sleep(for: period)
    }
  }

  /// A third of the time after which systemd takes the node for dead (`sd_watchdog_enabled(3)`); `nil`: systemd waits for no pings.
  static func period(environment: (String) -> String?, process: Int32) -> Duration? {
    guard let limit = environment("WATCHDOG_USEC").flatMap(Int.init), limit > 0 else { return nil }
    if let owner = environment("WATCHDOG_PID"), Int32(owner) != process { return nil }
    return .microseconds(max(limit / 3, 1))
  }
}
