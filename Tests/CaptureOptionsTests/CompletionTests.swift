import Foundation
import Testing

@testable import CaptureOptions

/// The bash script is run by bash; the others are checked for what they offer.
@Suite struct CompletionTests {
  private func completions(of line: String) throws -> [String] {
    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/bin/bash")
    let script = """
      sample() { [[ $1 == cameras ]] && printf '%s\\n' usb-0000:00:14.0-2 synthetic-0; }
      \(Sample.program.page(.bash))
      COMP_LINE="$1" COMP_POINT=${#1} COMP_WORDBREAKS=$' \\t\\n=:'
      compopt() { :; }
      _sample
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    bash.arguments = ["-c", script, "bash", line]
    let output = Pipe()
    bash.standardOutput = output
    try bash.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    bash.waitUntilExit()
    #expect(bash.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    ("sample ", ["stream", "get", "session"]),
    ("sample s", ["stream", "session"]),
    ("sample session ", ["list", "show"]),
    ("sample --node x st", ["stream"]),
    ("sample stream --fo", ["--format"]),
    ("sample stream 0 --format ", ["jpeg", "raw"]),
    ("sample stream 0 --format=j", ["jpeg"]),
    ("sample stream ", ["usb-0000:00:14.0-2", "synthetic-0"]),
    ("sample stream usb-0000:00", ["00:14.0-2"]),
    ("sample stream --format jpeg sy", ["synthetic-0"]),
    ("sample stream 0 ", []),
    ("sample get --j", ["--json"]),
  ])
  func bashOffersWhatTheTableSays(line: String, words: [String]) throws {
    #expect(try completions(of: line) == words)
  }

  @Test func zshAndFishNameEveryCommandAndOption() {
    for page in [Page.zsh, .fish] {
      let script = Sample.program.page(page)
      for word in ["stream", "session", "list", "output", "json"] { #expect(script.contains(word)) }
      #expect(!script.contains("generate "))
    }
  }
}
