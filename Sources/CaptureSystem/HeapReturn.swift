import Dispatch
import Synchronization

/// Gives memory back after a burst of work. malloc keeps what was freed between pieces that are still in use, for ever; a node that a crowd
/// has left would keep all that the crowd took.
///
/// There is no ticker: work that ends starts one look, ``pause`` later, and whatever ends until then is part of it. A process at rest is not woken.
public final class HeapReturn: Sendable {
  /// From the first work that ends to the look.
  public static let pause = DispatchTimeInterval.seconds(3)
  private let isLookDue = Atomic<Bool>(false)
  private let rule = Mutex(HeapRule())
  private let queue = DispatchQueue(label: "capture.heap", qos: .utility)

  public init() {}

  /// Something that takes memory has ended. Costs next to nothing, on any thread.
  public func workEnded() {
    guard !isLookDue.load(ordering: .relaxed), !isLookDue.exchange(true, ordering: .acquiring) else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
      guard let self else { return }
      isLookDue.store(false, ordering: .releasing)
      look(again: Self.mostAgain)
    }
  }

  /// `left`: how often it may look again.
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

  /// From a look that finds memory in motion to the next, and how many of them there are.
  private static let settling = DispatchTimeInterval.seconds(1)
  private static let mostAgain = 3
}

/// When trimming is worth its time: where more is idle than was when all had been given back, or much has been freed since. What was idle then may
/// have been pages of which a part was in use, and is not any more. Where a little was freed it waits until no more is: small pieces keep
/// the pages in which they lie, many times as much.
struct HeapRule: Sendable {
  enum Advice: Hashable, Sendable { case rest, lookAgain, trim }
  /// Bytes.
  static let worthwhile = 4 << 20
  static let little = 512 << 10
  /// The least that was idle since the process was trimmed, the most that was used, and what was at the latest look.
  private var least: Int?
  private var most = 0
  private var latest = 0

  /// What to do with a process that is so.
  mutating func advice(at usage: Heap.Usage) -> Advice {
    guard let least else { return .trim }
    defer { latest = usage.used }
    self.least = min(least, usage.idle)
    most = max(most, usage.used)
    if usage.idle >= least + Self.worthwhile || usage.used <= most - Self.worthwhile { return .trim }
    guard usage.used <= most - Self.little else { return .rest }
    return abs(usage.used - latest) < Self.little ? .trim : .lookAgain
  }

  /// It is so after it.
  mutating func trimmed(to usage: Heap.Usage) { (least, most, latest) = (usage.idle, usage.used, usage.used) }
}
