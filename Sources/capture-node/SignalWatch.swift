import Dispatch
import Glibc

/// Signals as events instead of interruptions.
final class SignalWatch {
  private var sources: [any DispatchSourceSignal] = []

  /// Calls `handler` on the main queue for each of `signals`.
  init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
    for number in signals {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { handler(number) }
      source.activate()
      sources.append(source)
    }
  }
}
