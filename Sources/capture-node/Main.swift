import CaptureNode
import CaptureOptions
import CaptureSystem
import Dispatch
import Glibc

@main
struct Main {
  /// Wrong command line or configuration.
  private static let usage: Int32 = 2

  static func main() {
    StandardStreams.fillClosed()
    signal(SIGPIPE, SIG_IGN)
    Heap.returnWhatIsFreed()
    let settings: NodeSettings
    do {
      switch try NodeProgram.table.parse(
        Array(CommandLine.arguments.dropFirst()), environment: { getenv($0).map { String(cString: $0) } })
      {
      case .print(let text):
        Log.write(text, to: STDOUT_FILENO)
        return
      case .run(let arguments):
        settings = try NodeSettings(arguments)
      }
    } catch let error as UsageError {
      Log.write("\(error)\n", to: STDERR_FILENO)
      exit(usage)
    } catch {
      Log.write("capture-node: \(error)\n", to: STDERR_FILENO)
      exit(usage)
    }
    let run = NodeRun(settings)
    let signals = SignalWatch([SIGTERM, SIGINT, SIGHUP]) { run.signalled($0) }
    run.start()
    withExtendedLifetime(signals) { dispatchMain() }
  }
}

extension NodeSettings {
  /// The settings of the configuration file, if there is one, with those of the command line in place of its own.
  init(_ arguments: Arguments) throws {
    self.init()
    if let path = arguments[NodeProgram.config] { self = try ConfigurationFile(path: path).applied(to: self) }
    if arguments.isGiven(NodeProgram.listen) { listen = arguments.all(NodeProgram.listen) }
    if arguments.isGiven(NodeProgram.camera) { cameras = arguments.all(NodeProgram.camera) }
    if let level = arguments[NodeProgram.logLevel].flatMap(LogLevel.init) { logLevel = level }
    if arguments[NodeProgram.allowRemote] { allowsUnauthenticatedRemote = true }
    if arguments[NodeProgram.testService] { offersTestService = true }
    if let location = arguments[NodeProgram.state] { state = location }
    try requireLocalListeners()
    _ = try CameraSpecs(cameras)
  }
}
