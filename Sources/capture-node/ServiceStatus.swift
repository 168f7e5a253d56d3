/// What `systemctl status` shows of the cameras' health.
struct ServiceStatus {
  private var told = ""

  /// The state that reports to systemd which cameras do not answer; `nil`: systemd knows already.
  mutating func news(_ hung: [String]) -> String? {
    let text = hung.isEmpty ? "" : "not responding: \(hung.joined(separator: ", "))"
    guard told != text else { return nil }
    told = text
    return "STATUS=\(text.isEmpty ? "every camera answers" : text)"
  }
}
