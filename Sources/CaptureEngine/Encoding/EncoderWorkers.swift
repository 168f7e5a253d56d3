import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// The few threads that encode, copy and measure pictures, for all cameras. Cameras take turns, and so do the renditions of each.
///
/// Whoever needs order submits one piece of work at a time.
public final class EncoderWorkers: Sendable {
  /// Asks for the worker's encoder where it needs one.
  typealias Work = @Sendable (_ encoder: () -> any PictureEncoder) -> Void
  private struct State {
    var waiting = FairLine<CameraID, Work>()
    /// Places of those that have nothing to do.
    var idle: [Int]
    /// One for each worker, with its scratch memory, while there are renditions.
    var encoders: [(any PictureEncoder)?]
    var renditions = 0
  }
  private let state: Mutex<State>
  private let queues: [DispatchQueue]
  private let makeEncoder: @Sendable () -> any PictureEncoder
  /// Encoded pictures' memory, used again.
  let pool = PayloadPool(keep: 8)

  /// `count`: 2 unless the machine has but one processor.
  public init(count: Int, makeEncoder: @escaping @Sendable () -> any PictureEncoder) {
    // Apart from the threads of what must not wait for an encode, and no more of them than there are encoders.
    queues = (0..<max(count, 1)).map { DispatchQueue(label: "encoder-\($0)", target: .global(qos: .utility)) }
    state = Mutex(
      State(idle: Array(queues.indices), encoders: Array(repeating: nil, count: queues.count)))
    self.makeEncoder = makeEncoder
  }

  /// What `work` makes, on one of them.
  func perform<Value: Sendable>(
    for camera: CameraID, _ work: @escaping @Sendable (_ encoder: () -> any PictureEncoder) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      submit(for: camera) { continuation.resume(returning: work($0)) }
    }
  }

  func submit(for camera: CameraID, _ work: @escaping Work) {
    let worker = state.withLock { state in
      state.waiting.append(work, of: camera)
      return state.idle.popLast()
    }
    if let worker { queues[worker].async { self.run(worker) } }
  }

  private func run(_ worker: Int) {
    while let work = next(worker) { work { encoder(of: worker) } }
  }

  private func next(_ worker: Int) -> Work? {
    state.withLock { state in
      let work = state.waiting.popFirst()
      if work == nil { state.idle.append(worker) }
      return work
    }
  }

  private func encoder(of worker: Int) -> any PictureEncoder {
    if let kept = state.withLock({ $0.encoders[worker] }) { return kept }
    let encoder = makeEncoder()
    state.withLock { state in if state.renditions > 0 { state.encoders[worker] = encoder } }
    return encoder
  }

  /// There is a rendition more: its work finds memory that is kept.
  func renditionBegan() { state.withLock { $0.renditions += 1 } }

  /// The last one gives the memory back.
  func renditionEnded() {
    let unused = state.withLock { state in
      state.renditions -= 1
      guard state.renditions == 0 else { return [any PictureEncoder]() }
      defer { state.encoders = Array(repeating: nil, count: state.encoders.count) }
      return state.encoders.compactMap { $0 }
    }
    _ = unused
  }
}
