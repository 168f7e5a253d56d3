import CaptureSystem
import Dispatch
import Glibc

/// SIGINT, SIGTERM and SIGHUP as a call instead of the process's end, from the object's making on.
///
/// A SIGHUP that whoever began the process has it ignore, as `nohup` does, stays ignored.
/// `onSignal` is called for the first. A second one ends the process at once, and so does the work's not ending within three
/// seconds: a reader of our pipe that has stopped reading shall not keep us.
final class Interrupts {
  private let sources: [any DispatchSourceSignal]

  init(_ onSignal: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "capturectl.signals")
    let signals = [SIGINT, SIGTERM] + (SignalDisposition.isIgnored(SIGHUP) ? [] : [SIGHUP])
    sources = signals.map { number in
      signal(number, SIG_IGN)
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
