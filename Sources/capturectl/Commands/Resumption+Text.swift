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

  /// Prints the text on standard error, over a line of progress.
  func tell(_ what: String) {
    Terminal.printError("\(Terminal.errorIsTerminal ? "\r\u{1B}[K" : "")capturectl: \(text(what))\n")
  }
}

extension Resumption: JSONValue {
  var json: JSON {
    [
      "cause": cause == .connectionLost ? "connection_lost" : "camera_unplugged", "reason": reason,
      "pause_ms": Int64(pause / .milliseconds(1)), "new_boot": isNewBoot, "new_node": isNewNode,
      "settings_were_set_again": settingsWereSetAgain, "missed_frames": missedFrames,
    ]
  }
}
