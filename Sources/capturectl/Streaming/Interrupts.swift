import CaptureSystem
import Dispatch
import Glibc

/// Turns SIGINT, SIGTERM and SIGHUP into a call, instead of the process's end, while the object exists.
///
/// Dispatch watches for signals a moment after the object was made. One that comes before that ends the process at once; ignored
/// until then, it would be lost.
/// A SIGHUP that the parent process set to be ignored, as `nohup` does, stays ignored. `onSignal` is called for the first signal. A second one ends the
/// process at once. So does work that does not end within three seconds: a reader of the pipe that has stopped reading shall not delay the end.
final class Interrupts {
  private let sources: [any DispatchSourceSignal]

  init(_ onSignal: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "capturectl.signals")
    let signals = [SIGINT, SIGTERM] + (SignalDisposition.isIgnored(SIGHUP) ? [] : [SIGHUP])
    sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        for other in signals { signal(other, SIG_DFL) }
        queue.asyncAfter(deadline: .now() + 3) { _exit(128 + number) }
        onSignal()
      }
      source.resume()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}
