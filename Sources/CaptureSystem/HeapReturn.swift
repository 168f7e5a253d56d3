import Dispatch
import Synchronization

/// Gives memory back to the kernel after a burst of work. malloc never returns memory that lies between pieces in use: without this, a node would
/// keep everything that a crowd of clients took, long after the crowd has left.
///
/// There is no ticker, so a process at rest is not woken. The end of some work starts one check, ``pause`` later, which also covers work that ends
/// until then.
public final class HeapReturn: Sendable {
  /// The time from the first end of some work to the check.
  public static let pause = DispatchTimeInterval.seconds(3)
  private let isCheckDue = Atomic<Bool>(false)
  private let rule = Mutex(HeapRule())
  private let queue = DispatchQueue(label: "capture.heap", qos: .utility)

  public init() {}

  /// Notes that work which takes memory has ended. Any thread may call it; it costs next to nothing.
  public func workEnded() {
    guard !isCheckDue.load(ordering: .relaxed), !isCheckDue.exchange(true, ordering: .acquiring) else {
      return
    }
    queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
      guard let self else { return }
      isCheckDue.store(false, ordering: .releasing)
      check(remaining: Self.mostFurtherChecks)
    }
  }

  /// Checks the memory. If it is still changing, checks it again, up to `remaining` times.
  private func check(remaining: Int) {
    let before = Heap.usage
    switch rule.withLock({ $0.advice(at: before) }) {
    case .rest: break
    case .checkAgain:
      guard remaining > 0 else { return }
      queue.asyncAfter(deadline: .now() + Self.settling) { [weak self] in
        self?.check(remaining: remaining - 1)
      }
    case .trim:
      Heap.trim()
      let after = Heap.usage
      rule.withLock { $0.trimmed(to: after) }
    }
  }

  /// The time from a check that finds memory still changing to the next check.
  private static let settling = DispatchTimeInterval.seconds(1)
  /// The most checks that may follow the first one.
  private static let mostFurtherChecks = 3
}

/// Decides when trimming is worth its time: when more memory is idle than after the last trim, or when much has been freed since. (Pages that were
/// partly in use at the last trim may be free now.) When only a little was freed, it trims too, but waits until no more is freed: small pieces can
/// hold pages that are many times as large.
struct HeapRule: Sendable {
  enum Advice: Hashable, Sendable { case rest, checkAgain, trim }
  /// So many bytes, idle or freed since the last trim, make trimming worthwhile at once.
  static let worthwhile = 4 << 20
  /// So many freed bytes make trimming worthwhile once no more are freed: once the memory in use changes by less than this from check to check.
  static let little = 512 << 10
  /// The least idle memory that was found since the last trim; `nil`: there was no trim yet.
  private var leastIdle: Int?
  /// The most memory in use that was found since the last trim.
  private var mostUsed = 0
  /// The memory in use at the latest check.
  private var latestUsed = 0

  /// Says what to do with a process that uses this much memory.
  mutating func advice(at usage: Heap.Usage) -> Advice {
    guard let leastIdle else { return .trim }
    defer { latestUsed = usage.used }
    self.leastIdle = min(leastIdle, usage.idle)
    mostUsed = max(mostUsed, usage.used)
    if usage.idle >= leastIdle + Self.worthwhile || usage.used <= mostUsed - Self.worthwhile { return .trim }
    guard usage.used <= mostUsed - Self.little else { return .rest }
    return abs(usage.used - latestUsed) < Self.little ? .trim : .checkAgain
  }

  /// Takes note of the memory in use after a trim.
  mutating func trimmed(to usage: Heap.Usage) {
    (leastIdle, mostUsed, latestUsed) = (usage.idle, usage.used, usage.used)
  }
}
