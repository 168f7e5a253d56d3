import CaptureSystem
import Dispatch
import Glibc

/// Receives signals as events instead of interruptions.
final class SignalWatch {
  private var sources: [any DispatchSourceSignal] = []

  /// Calls `handler` on the main queue for each of `signals`. A SIGHUP that the parent process set to be ignored, as `nohup` does, stays ignored.
  init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
    for number in signals where number != SIGHUP || !SignalDisposition.isIgnored(number) {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { handler(number) }
      source.activate()
      sources.append(source)
    }
  }
}
