import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// The few threads that encode, copy and measure pictures, for all cameras. Cameras take turns, and so do the renditions of each.
///
/// A caller that needs its work in order submits one piece at a time.
public final class EncoderWorkers: Sendable {
  /// A piece of work. It asks for the worker's encoder if it needs one.
  typealias Work = @Sendable (_ encoder: () -> any PictureEncoder) -> Void
  private struct State {
    var waiting = RoundRobinQueue<CameraID, Work>()
    /// The indices of the workers that have nothing to do.
    var idle: [Int]
    /// One encoder for each worker, with its scratch memory, while there are renditions.
    var encoders: [(any PictureEncoder)?]
    var renditions = 0
  }
  private let state: Mutex<State>
  private let queues: [DispatchQueue]
  private let makeEncoder: @Sendable () -> any PictureEncoder
  /// Memory of encoded pictures, which is used again.
  let pool = PayloadPool(keep: 8)

  /// `count`: usually 2, or 1 on a machine with one processor.
  public init(count: Int, makeEncoder: @escaping @Sendable () -> any PictureEncoder) {
    // One thread for each encoder. Work that must not wait for an encode has other threads.
    queues = (0..<max(count, 1)).map { DispatchQueue(label: "encoder-\($0)", target: .global(qos: .utility)) }
    state = Mutex(
      State(idle: Array(queues.indices), encoders: Array(repeating: nil, count: queues.count)))
    self.makeEncoder = makeEncoder
  }

  /// The threads for frames in a format: these, or `own` where the library that reads the format was not checked line by line by this project. That work may
  /// take long, and no other work waits for it.
  func forFrames(
    _ pixelFormat: PixelFormat, _ imaging: Imaging, own: @autoclosure () -> EncoderWorkers
  ) -> EncoderWorkers {
    imaging.conversion(pixelFormat) == .libv4lconvert ? own() : self
  }

  /// Workers of one thread beside these, for work that may take long.
  func separateThread() -> EncoderWorkers { EncoderWorkers(count: 1, makeEncoder: makeEncoder) }

  /// Returns the result of `work`, which one of the threads runs.
  func perform<Value: Sendable, Failure>(
    for camera: CameraID,
    _ work: @escaping @Sendable (_ encoder: () -> any PictureEncoder) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      submit(for: camera) { encoder in
        continuation.resume(returning: Result { () throws(Failure) in try work(encoder) })
      }
    }
    return try result.get()
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

  /// Tells that a rendition began. From then on memory is kept for its work.
  func renditionBegan() { state.withLock { $0.renditions += 1 } }

  /// Tells that a rendition ended. The last one frees the memory.
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
