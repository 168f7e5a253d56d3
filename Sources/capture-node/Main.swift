import CaptureNode
import CaptureOptions
import CaptureSystem
import CaptureTransport
import Dispatch
import Glibc

@main
struct Main {
  /// The exit status for a wrong command line or configuration.
  private static let usage: Int32 = 2

  static func main() {
    StandardStreams.fillClosed()
    signal(SIGPIPE, SIG_IGN)
    Heap.returnWhatIsFreed()
    let settings: NodeSettings
    let arguments: Arguments
    do {
      switch try NodeProgram.table.parse(
        Array(CommandLine.arguments.dropFirst()), environment: { getenv($0).map { String(cString: $0) } })
      {
      case .print(let text):
        exit(NodeProgram.print(text))
      case .run(let arguments) where arguments.command.first == NodeProgram.library.name:
        exit(NodeProgram.runLibrary(arguments))
      case .run(let arguments) where !arguments.command.isEmpty:
        Task { exit(await NodeProgram.run(arguments)) }
        dispatchMain()
      case .run(let given):
        arguments = given
        settings = try NodeSettings(arguments)
      }
    } catch let error as UsageError {
      Log.write("\(error)\n", to: STDERR_FILENO)
      exit(usage)
    } catch {
      Log.write("capture-node: \(error)\n", to: STDERR_FILENO)
      exit(usage)
    }
    DescriptorLimit.raise()
    let run = NodeRun(settings) { () throws(ConfigurationError) in
      do { return try NodeSettings(arguments) } catch {
        throw error as? ConfigurationError ?? ConfigurationError("\(error)")
      }
    }
    let signals = SignalWatch([SIGTERM, SIGINT, SIGHUP]) { run.signalled($0) }
    // The signals are watched before the node says that it listens, since whoever reads that may end the node by a signal.
    signals.start { run.start() }
    withExtendedLifetime(signals) { dispatchMain() }
  }
}

extension NodeSettings {
  /// The settings of the configuration file, if there is one. The settings of the command line have priority over them.
  init(_ arguments: Arguments) throws {
    self.init()
    try NodeProgram.requireListeners(arguments)
    if let path = arguments[NodeProgram.config] {
      self = try ConfigurationFolder(path: path).applied(to: self)
    }
    if arguments.isGiven(NodeProgram.listen) {
      listen = arguments.all(NodeProgram.listen).map { address in
        let isTCP = if case .unix = address { false } else { true }
        return ListenSetting(
          address,
          policy: ListenerPolicy(
            trustsLocalUsers: isTCP && arguments[NodeProgram.trustLocalUsers],
            takesPlaintext: !address.isLocal && arguments[NodeProgram.allowPlaintext]))
      }
    }
    if arguments.isGiven(NodeProgram.camera) { cameras = arguments.all(NodeProgram.camera) }
    if let level = arguments[NodeProgram.logLevel].flatMap(LogLevel.init) { logLevel = level }
    if arguments[NodeProgram.testService] { offersTestService = true }
    if let location = arguments[NodeProgram.state] { state = location }
    _ = try CameraSpecs(cameras)
  }
}
