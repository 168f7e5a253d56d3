import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

@main
struct Main {
  static func main() async {
    if CommandLine.arguments == [TornFrameCutter.processName] { TornFrameCutter.run() }
    StandardStreams.fillClosed()
    signal(SIGPIPE, SIG_IGN)
    if CommandLine.arguments.dropFirst().first == Program.completionCommand {
      await Completer.run(Array(CommandLine.arguments.dropFirst(2)))
    }
    exit(await run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Carries out a command line, and returns the exit status.
  private static func run(_ words: [String]) async -> Int32 {
    var isJSON = false
    var leaseAdvice = ""
    do {
      switch try Program.capturectl.parse(words, environment: { getenv($0).map { String(cString: $0) } }) {
      case .print(let text): try Terminal.print(text)
      case .run(let arguments):
        isJSON = arguments[Options.json]
        leaseAdvice = LeaseAdvice.text(arguments)
        try await perform(arguments)
      }
      return 0
    } catch let error as UsageError {
      report(error, "\(error)", isJSON: words.contains("--\(Options.json.declaration.name)"))
      return 2
    } catch let failure as Failure where failure.isQuiet {
      return 0
    } catch {
      report(error, "capturectl: \(explanation(of: error, leaseAdvice))", isJSON: isJSON)
      return 1
    }
  }

  private static func report(_ error: any Error, _ text: String, isJSON: Bool) {
    Terminal.printError(isJSON ? "\(JSON(error: error))\n" : "\(text)\n")
  }

  private static func perform(_ arguments: Arguments) async throws {
    let name = arguments.command.joined(separator: " ")
    if let shell = arguments[Options.shell].flatMap(Page.init(rawValue:)) {
      return try Terminal.print(Program.capturectl.page(shell))
    }
    do { try await perform(name, arguments) } catch let misuse as Misuse {
      throw UsageError(message: misuse.message, command: "capturectl \(name)")
    }
  }

  private static func perform(_ name: String, _ arguments: Arguments) async throws {
    if let command = localCommands[name] { return try await command(arguments) }
    guard let command = commands[name] else { preconditionFailure("the command '\(name)' does nothing") }
    var configuration = try await RemoteNode.Configuration.toward(
      arguments[Options.node] ?? .onThisMachine, credentialFile: arguments[Options.credentialFile],
      authorityFile: arguments[Options.authority], timeout: arguments[Options.timeout])
    try AdminCommands.requirePermission(name, at: configuration.address)
    configuration.timeout = arguments[Options.timeout]
    configuration.agent = "capturectl/\(Program.capturectl.version)"
    let isLasting = arguments[Options.reconnect] || lastingCommands.contains(name)
    configuration.reconnect = isLasting ? ReconnectPolicy() : nil
    configuration.onConnectionChange = tell
    var node = try await connect(configuration)
    for lease in arguments.all(Options.lease) { node = node.using(lease) }
    try await command(CommandContext(arguments: arguments, node: node))
    await node.close()
  }

  /// Connects to the node. A failure gets the node's address and advice how to name another node; a node that is full was the right one, and gets no
  /// advice.
  private static func connect(_ configuration: RemoteNode.Configuration) async throws -> RemoteNode {
    do throws(CaptureError) {
      return try await RemoteNode(configuration: configuration)
    } catch {
      let isNamed = error.details?.reason == .nodeUnreachable
      let error = isNamed ? error : error.prefixed("\(configuration.address)")
      if error.code == .resourceExhausted { throw error }
      throw ExplainedError(
        error,
        advice: (isNamed ? configuration.hostAdvice : "")
          + "Another node is named with --node ADDRESS or $CAPTURE_NODE.")
    }
  }

  private static let tell: @Sendable (ConnectionChange) -> Void = { change in
    let overProgress = Terminal.errorIsTerminal ? "\r\u{1B}[K" : ""
    let text =
      switch change {
      case .away(let reason, let pause):
        "\(reason.printable); trying again in \(fixed(pause / .seconds(1), 1)) s"
      case .restored: "connected again"
      }
    Terminal.printError("\(overProgress)capturectl: \(text)\n")
  }

  /// The message for an error: "FAILED_PRECONDITION: …" for one from the node. The text is made harmless for a terminal.
  private static func explanation(of error: any Error, _ leaseAdvice: String) -> String {
    var text = explain(error)
    let cameWhileConnecting = error is ExplainedError
    let cause = (error as? CutShort)?.reason ?? error
    // A longer wait does not help while connecting: a server that has not said Hello by now will not say it later.
    if (cause as? CaptureError)?.code == .deadlineExceeded, !cameWhileConnecting {
      text += "\n--timeout SECONDS waits longer."
    }
    switch (cause as? CaptureError)?.details?.reason {
    case .leaseHeld: text += " with --lease"
    case .leaseUnknown, .leaseExpired, .leaseLost: text += leaseAdvice
    default: break
    }
    return text.printableLines
  }
}
