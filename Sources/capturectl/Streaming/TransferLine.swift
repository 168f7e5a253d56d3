import CaptureSystem

/// A progress bar for bytes that come or go. It shows only where standard error is a terminal.
struct TransferLine {
  private let total: UInt64
  private let began = MonotonicClock.now()
  private var line = ProgressLine()

  init(_ total: UInt64) { self.total = total }

  mutating func update(_ done: UInt64) {
    let now = MonotonicClock.now()
    let total = max(total, 1)
    line.update(Self.text(done, of: total, after: now - began), at: now)
  }

  mutating func clear() { line.clear() }

  /// "[#########...........]  45%  4.5 MB of 10.0 MB, 2.1 MB/s"
  static func text(_ done: UInt64, of total: UInt64, after nanoseconds: UInt64) -> String {
    let part = min(1, Double(done) / Double(total))
    let filled = Int(part * 20)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
    let rate = UInt64(Double(done) / max(Double(nanoseconds) / 1e9, 0.001))
    return
      "[\(bar)] \(Int(part * 100))%  \(bytesText(done)) of \(bytesText(total)), \(bytesText(rate))/s"
  }
}
