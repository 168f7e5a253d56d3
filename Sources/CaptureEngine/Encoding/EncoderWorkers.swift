import CaptureSystem
import Dispatch
import Synchronization

/// The few threads that encode, copy and measure pictures, for all cameras. Work goes to the one with the least waiting.
///
/// Whoever needs order submits one piece of work at a time.
public final class EncoderWorkers: Sendable {
  private let queues: [DispatchQueue]
  private let waiting: Mutex<[Int]>
  /// Encoded pictures' memory, used again.
  let pool = PayloadPool(keep: 8)

  /// `count`: 2 unless the machine has but one processor.
  public init(count: Int) {
    // Apart from the threads of what must not wait for an encode, and no more of them than there are encoders.
    queues = (0..<max(count, 1)).map { DispatchQueue(label: "encoder-\($0)", target: .global(qos: .utility)) }
    waiting = Mutex(Array(repeating: 0, count: queues.count))
  }

  /// What `work` makes, on one of them.
  nonisolated(nonsending) func perform<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      submit { continuation.resume(returning: work()) }
    }
  }

  func submit(_ work: @escaping @Sendable () -> Void) {
    let index = waiting.withLock { waiting in
      let index = waiting.indices.min { waiting[$0] < waiting[$1] }!
      waiting[index] += 1
      return index
    }
    queues[index].async {
      work()
      self.waiting.withLock { $0[index] -= 1 }
    }
  }
}
