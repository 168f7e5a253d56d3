import CaptureClient

extension Resumption {
  /// "frames again after 3.2 s: 'cam' was unplugged; its settings were set again; 95 frames were missed"
  func text(_ what: String) -> String {
    var parts = ["\(what) again after \(fixed(pause / .seconds(1), 1)) s: \(reason.printable)"]
    if isNewBoot {
      parts.append("the node's machine has started anew")
    } else if isNewNode {
      parts.append("the node has started anew")
    }
    if settingsWereSetAgain == true { parts.append("the camera's settings were set again") }
    if let missedFrames { parts.append("\(framesText(missedFrames)) missed") }
    return parts.joined(separator: "; ")
  }

  /// Tells it on standard error, over a line of progress.
  func tell(_ what: String) {
    Terminal.printError("\(Terminal.errorIsTerminal ? "\r\u{1B}[K" : "")capturectl: \(text(what))\n")
  }
}

extension JSON {
  /// `null` where nothing was missed.
  init(_ resumption: Resumption?) {
    guard let resumption else { self = .null; return }
    self = [
      "cause": .string(resumption.cause == .connectionLost ? "connection_lost" : "camera_unplugged"),
      "reason": .string(resumption.reason), "pause_ms": JSON(Int64(resumption.pause / .milliseconds(1))),
      "new_boot": .bool(resumption.isNewBoot), "new_node": .bool(resumption.isNewNode),
      "settings_were_set_again": resumption.settingsWereSetAgain.map { .bool($0) } ?? .null,
      "missed_frames": resumption.missedFrames.map { JSON($0) } ?? .null,
    ]
  }
}
