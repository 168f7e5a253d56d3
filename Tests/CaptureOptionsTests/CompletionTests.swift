import Foundation
import Testing

@testable import CaptureOptions

/// The bash script is run by bash; the others are checked for what they offer.
@Suite struct CompletionTests {
  private func completions(of line: String, asked: String = "/dev/null") throws -> [String] {
    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/bin/bash")
    let script = """
      sample() {
        [[ $1 == complete ]] || return
        printf '%s\\n' usb-0000:00:14.0-2 synthetic-0 'Front door' "it's" 'a "b"' 'c$d' 'mode=By hand' gain=
        printf '<%s>' "${@:2}" > "$ASKED"
      }
      \(Sample.program.page(.bash))
      COMP_LINE="$1" COMP_POINT=${#1} COMP_WORDBREAKS=$' \\t\\n=:'
      compopt() { :; }
      _sample
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    bash.arguments = ["-c", script, "bash", line]
    bash.environment = ["ASKED": asked, "PATH": "/usr/bin:/bin"]
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
    ("sample stream u", ["usb-0000:00:14.0-2"]),
    ("sample stream 'u", ["usb-0000:00:14.0-2"]),
    ("sample stream \"usb-0000:0", ["usb-0000:00:14.0-2"]),
    ("sample stream usb-0000\\:0", ["usb-0000:00:14.0-2"]),
    ("sample stream Fr", [#"Front\ door"#]),
    ("sample stream Front\\ d", [#"Front\ door"#]),
    ("sample stream 'Front d", ["Front door"]),
    ("sample stream \"Front d", ["Front door"]),
    ("sample stream i", [#"it\'s"#]),
    ("sample stream 'i", [#"it'\''s"#]),
    ("sample stream \"i", ["it's"]),
    ("sample stream 'a", [#"a "b""#]),
    ("sample stream \"a", [#"a \"b\"""#]),
    ("sample stream \"c", [#"c\$d"#]),
    ("sample stream mode=B", [#"By\ hand"#]),
    ("sample stream g", ["gain="]),
    ("sample stream usb-0000:00", ["00:14.0-2"]),
    ("sample stream --format jpeg sy", ["synthetic-0"]),
    ("sample stream 0 ", []),
    ("sample get --j", ["--json"]),
  ])
  func bashOffersWhatTheTableSays(line: String, words: [String]) throws {
    #expect(try completions(of: line) == words)
  }

  /// The words as the shell reads them, and last what is to be completed.
  @Test(arguments: [
    ("sample --node a:1 stream ", "<--node><a:1><stream><>"),
    ("sample get 'Front door' --label=x 'it", "<get><Front door><--label=x><it>"),
    ("sample session show \"a b\"\\'c --camera=fr", "<session><show><a b'c><--camera=fr>"),
  ])
  func bashTellsTheProgramTheWordsSoFar(line: String, words: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "asked-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try completions(of: line, asked: file.path)
    #expect(try String(contentsOf: file, encoding: .utf8) == words)
  }

  @Test func aProgramWithoutNamesIsNotAskedForAny() {
    let program = Program(
      Command("plain", summary: "Has no names.", options: [Sample.format, Sample.output]), version: "1",
      exitStatuses: [])
    for page in Page.shells { #expect(!program.page(page).contains("plain \(Program.completionCommand)")) }
    for page in Page.shells {
      #expect(Sample.program.page(page).contains("sample \(Program.completionCommand)"))
    }
  }

  @Test func helpAndManualDoNotNameTheCommandThatShellsCall() {
    #expect(!Sample.program.help.contains(Program.completionCommand))
    #expect(!Sample.program.page(.man).contains(Program.completionCommand))
  }

  @Test func zshAndFishNameEveryCommandAndOption() {
    for page in [Page.zsh, .fish] {
      let script = Sample.program.page(page)
      for word in ["stream", "session", "list", "output", "json"] { #expect(script.contains(word)) }
      #expect(!script.contains("generate "))
    }
  }
}
