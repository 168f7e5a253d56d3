import Dispatch
import Synchronization

/// Gives memory back to the kernel after a burst of work. malloc never returns memory that lies between pieces in use: without this, a node would keep
/// everything that a crowd of clients took, long after the crowd has left.
///
/// There is no ticker. Work that ends starts one check, ``pause`` later, which also covers the work that ends until then. A process at rest is not
/// woken.
public final class HeapReturn: Sendable {
  /// The time from the first end of some work to the check.
  public static let pause = DispatchTimeInterval.seconds(3)
  private let isLookDue = Atomic<Bool>(false)
  private let rule = Mutex(HeapRule())
  private let queue = DispatchQueue(label: "capture.heap", qos: .utility)

  public init() {}

  /// Tells that work which takes memory has ended. Any thread may call it; it costs next to nothing.
  public func workEnded() {
    guard !isLookDue.load(ordering: .relaxed), !isLookDue.exchange(true, ordering: .acquiring) else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
      guard let self else { return }
      isLookDue.store(false, ordering: .releasing)
      look(again: Self.mostAgain)
    }
  }

  /// Checks the memory, and again up to `left` times.
  private func look(again left: Int) {
    let before = Heap.usage
    switch rule.withLock({ $0.advice(at: before) }) {
    case .rest: break
    case .lookAgain:
      guard left > 0 else { return }
      queue.asyncAfter(deadline: .now() + Self.settling) { [weak self] in self?.look(again: left - 1) }
    case .trim:
      Heap.trim()
      let after = Heap.usage
      rule.withLock { $0.trimmed(to: after) }
    }
  }

  /// The time to the next check after one that finds memory still changing, and how many such checks there are.
  private static let settling = DispatchTimeInterval.seconds(1)
  private static let mostAgain = 3
}

/// Decides when trimming is worth its time: where more memory is idle than after the last trim, or where much has been freed since. (Pages that were
/// partly in use at the last trim may be free now.) Where only a little was freed it waits until no more is: small pieces keep the pages in which they
/// lie, which are many times as large.
struct HeapRule: Sendable {
  enum Advice: Hashable, Sendable { case rest, lookAgain, trim }
  /// Bytes that make trimming worthwhile.
  static let worthwhile = 4 << 20
  static let little = 512 << 10
  /// The least memory that was idle since the last trim, the most that was in use, and what was in use at the latest check.
  private var least: Int?
  private var most = 0
  private var latest = 0

  /// Says what to do with a process that uses this much memory.
  mutating func advice(at usage: Heap.Usage) -> Advice {
    guard let least else { return .trim }
    defer { latest = usage.used }
    self.least = min(least, usage.idle)
    most = max(most, usage.used)
    if usage.idle >= least + Self.worthwhile || usage.used <= most - Self.worthwhile { return .trim }
    guard usage.used <= most - Self.little else { return .rest }
    return abs(usage.used - latest) < Self.little ? .trim : .lookAgain
  }

  /// Takes note of the memory in use after a trim.
  mutating func trimmed(to usage: Heap.Usage) { (least, most, latest) = (usage.idle, usage.used, usage.used) }
}
