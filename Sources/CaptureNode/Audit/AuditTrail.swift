import CaptureModel

/// Decides which calls the log shows. The first call of a kind is written at once; further calls of that kind are counted for ``window``, and then
/// written as one line. So every call is accounted for, and ten thousand calls do not fill the disk.
struct AuditTrail: Sendable {
  struct Line: Hashable, Sendable {
    var call: AuditedCall
    var count: Int
  }

  /// How long calls of one kind are counted before they are written, in nanoseconds.
  static let window: UInt64 = 10_000_000_000
  /// How many kinds of calls are counted at a time. Calls of further kinds are counted without their kind.
  static let mostKinds = NodeLimit.auditedKinds.usual
  /// How many lines may be written without a pause.
  static let burst = 200
  /// How many lines a second may be written after a ``burst``.
  static let rate = 50

  private struct Counted {
    var count: Int
    var until: UInt64
  }
  private var kinds: [AuditedCall: Counted] = [:]
  /// When the first of `kinds` is due; `nil`: there is none.
  private(set) var due: UInt64?
  private var lines = Double(burst)
  private var linesAt: UInt64 = 0
  private var others = 0

  /// Notes a call. Returns the lines to write now.
  mutating func note(_ call: AuditedCall, at now: UInt64) -> [Line] {
    var written = flush(at: now)
    if kinds[call] != nil {
      kinds[call]?.count += 1
      return written
    }
    guard kinds.count < Self.mostKinds else {
      others += 1
      return written
    }
    let isWritten = mayWrite(at: now)
    if isWritten { written.append(Line(call: call, count: 1)) }
    kinds[call] = Counted(count: isWritten ? 0 : 1, until: now + Self.window)
    due = min(due ?? .max, now + Self.window)
    return written
  }

  /// The lines of kinds whose time is over.
  mutating func flush(at now: UInt64) -> [Line] {
    guard let due, now >= due else { return [] }
    var written: [Line] = []
    for (call, counted) in kinds where counted.until <= now {
      guard counted.count > 0 else {
        kinds[call] = nil
        continue
      }
      // Beyond ``rate``, the other kinds wait.
      guard mayWrite(at: now) else { break }
      written.append(Line(call: call, count: counted.count))
      kinds[call] = nil
    }
    let next = kinds.values.map(\.until).min()
    self.due = next.map { max($0, now + 1_000_000_000) }
    return written
  }

  /// The lines of all calls that are still counted, since the node ends.
  mutating func end() -> [Line] {
    defer { (kinds, due) = ([:], nil) }
    return kinds.compactMap { call, counted in
      counted.count > 0 ? Line(call: call, count: counted.count) : nil
    }
  }

  /// How many calls were of kinds beyond ``mostKinds`` since this was last asked.
  mutating func takeOthers() -> Int {
    defer { others = 0 }
    return others
  }

  private mutating func mayWrite(at now: UInt64) -> Bool {
    lines = min(Double(Self.burst), lines + Double(now - min(linesAt, now)) / 1e9 * Double(Self.rate))
    linesAt = now
    guard lines >= 1 else { return false }
    lines -= 1
    return true
  }
}
