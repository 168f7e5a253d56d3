/// A line on the terminal that is overwritten four times a second. It shows nothing where standard error is not a terminal.
struct ProgressLine {
  private let isShown = Terminal.errorIsTerminal
  private var nextUpdate: UInt64 = 0

  /// `now`: `CLOCK_MONOTONIC` nanoseconds.
  mutating func update(_ text: @autoclosure () -> String, at now: UInt64) {
    guard isShown, now >= nextUpdate else { return }
    nextUpdate = now + 250_000_000
    let line = text().truncated(to: (Terminal.errorWidth ?? 80) - 1)
    Terminal.printError("\r\(line)\u{1B}[K")
  }

  /// Removes the line.
  mutating func clear() {
    guard isShown, nextUpdate > 0 else { return }
    nextUpdate = 0
    Terminal.printError("\r\u{1B}[K")
  }
}
