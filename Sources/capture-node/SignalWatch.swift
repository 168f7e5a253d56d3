import CaptureSystem
import Dispatch
import Glibc

/// Receives signals as events instead of interruptions.
///
/// Dispatch registers a source on a thread of its own, some time after ``start(_:)``. Until then a signal has its usual effect, which is to end the
/// process. If signals were ignored until then, an early one would be lost.
final class SignalWatch {
  private let sources: [any DispatchSourceSignal]

  /// Calls `handler` on the main queue for each of `signals`. A SIGHUP that the parent process set to be ignored, as `nohup` does, stays ignored.
  init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
    sources =
      signals
      .filter { $0 != SIGHUP || !SignalDisposition.isIgnored($0) }
      .map { number in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler { handler(number) }
        return source
      }
  }

  /// Watches from now on. Calls `isWatching` on the main queue once no signal can be missed any more.
  func start(_ isWatching: @escaping @Sendable () -> Void) {
    let registered = DispatchGroup()
    for source in sources {
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      source.activate()
    }
    registered.notify(queue: .main, execute: isWatching)
  }
}
