import Synchronization

/// What `systemctl status` shows of the cameras' health.
final class ServiceStatus: Sendable {
  private let told = Mutex("")

  /// Tells systemd, if it is news, which cameras do not answer.
  func tell(_ hung: [String]) {
    let text = hung.isEmpty ? "" : "not responding: \(hung.joined(separator: ", "))"
    let isNews = told.withLock { told in
      defer { told = text }
      return told != text
    }
    if isNews { ServiceNotifier.send("STATUS=\(text.isEmpty ? "every camera answers" : text)") }
  }
}
