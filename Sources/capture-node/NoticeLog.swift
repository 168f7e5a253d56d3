import CaptureEngine
import CaptureNode
import CaptureSystem
import CaptureTransport

/// Logs the events of cameras and clients.
struct NoticeLog: Sendable {
  let log: Log
  private let limiter = NoticeLimiter()

  init(_ log: Log) { self.log = log }

  func callAsFunction(_ notice: CameraNotice) {
    let level: LogLevel =
      switch notice.kind {
      case .appeared, .vanished, .reformatted, .resumed, .controlsRestored, .responding: .info
      case .interrupted, .ended, .corrupt, .encodingFailed, .controlNotRestored, .controlFailing,
        .automationEnded, .slow, .notResponding:
        .warning
      }
    write(level, notice.logKind, "camera '\(notice.camera)': \(notice.text)")
  }

  func callAsFunction(_ notice: ServerNotice) {
    switch notice.kind {
    case .refused: write(.warning, "refused", notice.text)
    case .paused: write(.warning, "paused", notice.text)
    case .vanished: write(.info, "vanished", notice.text)
    case .call: log(.debug, notice.text)
    }
  }

  private func write(_ level: LogLevel, _ kind: String, _ text: String) {
    guard let line = limiter.admit(text, of: kind, at: MonotonicClock.now()) else { return }
    log(level, line)
  }
}
