import CaptureSystem
import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into a call, instead of the process's end.
enum Interrupts {
  private typealias Source = any DispatchSourceSignal
  /// How long the work may take to end after a signal, in nanoseconds. There is a limit because the reader of a pipe may have stopped reading, which
  /// must not delay the end.
  private static let patience: UInt64 = 3_000_000_000
  private static let queue = DispatchQueue(label: "capturectl.signals")
  private static let messages = DispatchQueue(label: "capturectl.signals.messages")
  private static let sources = Mutex<[Source]>([])

  /// Calls `onSignal` for the first signal from now to the end of the process. A second signal ends the process at once. It also
  /// ends once three seconds have passed in which no file was written (``UncutWork``), even if the work has not ended.
  ///
  /// Dispatch begins to watch for signals a moment after this returns. A signal in that moment ends the process at once: signals are not ignored
  /// meanwhile, since an ignored signal would be lost.
  /// A SIGHUP that the parent process set to be ignored, as `nohup` does, stays ignored. This is called once.
  static func onFirstSignal(_ onSignal: @escaping @Sendable () -> Void) {
    let signals = [SIGINT, SIGTERM] + (SignalDisposition.isIgnored(SIGHUP) ? [] : [SIGHUP])
    let isSecond = Atomic(false)
    let signalCame: @Sendable (Int32) -> Void = { number in
      let status = 128 + number
      // The second signal usually ends the process by its default action. If every thread blocks signals, as Dispatch's threads do, it comes here
      // instead.
      guard !isSecond.exchange(true, ordering: .relaxed) else { _exit(status) }
      for other in signals { signal(other, SIG_DFL) }
      end(status, after: patience)
      onSignal()
    }
    sources.withLock { sources in
      for number in signals {
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { signalCame(number) }
        source.resume()
        sources.append(source)
      }
    }
  }

  private static func end(_ status: Int32, after pause: UInt64, hasTold: Bool = false) {
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) {
      let quiet = UncutWork.quiet
      guard quiet < patience else { _exit(status) }
      end(status, after: patience - quiet, hasTold: hasTold || quiet == 0)
      if quiet == 0, !hasTold { tellOfTheDisk() }
    }
  }

  /// Prints that the disk is slow. The message has a queue of its own: the reader of standard error may have stopped reading, and the queue of the
  /// signals, which ends the process, must not wait for that reader.
  private static func tellOfTheDisk() {
    messages.async {
      Terminal.printError(
        "capturectl: the disk has not taken everything yet; a second signal (Ctrl-C) ends at once, and leaves what is not finished\n"
      )
    }
  }
}
