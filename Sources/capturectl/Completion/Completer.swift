import CaptureClient
import CaptureOptions
import CaptureSystem
import Dispatch
import Glibc
import Synchronization

/// Prints the words that a shell offers for a line that is being typed, one a line. Whatever goes wrong, it is silent.
enum Completer {
  /// The time limit for the whole completion, with the connection and the node's answer. The shell and a person wait meanwhile: 300 ms in all, with
  /// the program's start.
  private static let patience = Duration.milliseconds(240)
  /// Locked by the code that ends the program, and never unlocked.
  private static let isEnding = Mutex(false)

  /// `words`: those behind the program's name; the last one is to be completed. Ends the program.
  static func run(_ words: [String]) async -> Never {
    let line = Program.capturectl.readTypedLine(words) { getenv($0).map { String(cString: $0) } }
    switch line.completion {
    case .none, .files: end([])
    case .words(let words): end(words)
    case .program(let text, let besides):
      guard let names = NodeNames(rawValue: text) else { end(besides) }
      let address = line[Options.node] ?? .onThisMachine
      // The lookup of a host's name cannot be interrupted, so only the end of the process bounds its time.
      DispatchQueue(label: "capturectl.completion")
        .asyncAfter(deadline: .now() + patience / .seconds(1)) { end(besides) }
      guard
        var configuration = try? await RemoteNode.Configuration.toward(
          address, credentialFile: line[Options.credentialFile], authorityFile: line[Options.authority])
      else { end(besides) }
      configuration.timeout = patience
      configuration.agent = "capturectl/\(Program.capturectl.version)"
      configuration.reconnect = nil
      let found = try? await names.ask(RemoteNode(configuration: configuration), for: line)
      end(besides + (found ?? []).filter { !besides.contains($0) })
    }
  }

  /// Prints those words that a line can hold and a terminal can show, and ends the program.
  private static func end(_ words: [String]) -> Never {
    isEnding.withLock { _ in
      let lines = words.filter { !$0.isEmpty && $0 == $0.printable }.map { "\($0)\n" }
      try? Terminal.print(lines.joined())
      _exit(0)
    }
  }
}
