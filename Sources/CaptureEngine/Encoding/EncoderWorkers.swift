import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// The few threads that encode, copy and measure pictures, for all cameras. Cameras take turns, and so do the renditions of each.
///
/// A caller that needs its work in order submits one piece at a time. Long work leaves one thread to other work while there are renditions: their frames
/// come many times a second.
public final class EncoderWorkers: Sendable {
  /// A piece of work. It asks for the worker's encoder if it needs one.
  typealias Work = @Sendable (_ encoder: () -> any PictureEncoder) -> Void
  private struct Piece {
    let work: Work
    let isLong: Bool
  }
  private struct State {
    var waiting = RoundRobinQueue<CameraID, Piece>()
    /// How many workers do long work.
    var longUnderWay = 0
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

  /// Returns the result of `work`, which one of the threads runs. `isLong`: whether it may take longer than a frame lasts.
  func perform<Value: Sendable, Failure>(
    for camera: CameraID, isLong: Bool = false,
    _ work: @escaping @Sendable (_ encoder: () -> any PictureEncoder) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      submit(for: camera, isLong: isLong) { encoder in
        continuation.resume(returning: Result { () throws(Failure) in try work(encoder) })
      }
    }
    return try result.get()
  }

  func submit(for camera: CameraID, isLong: Bool = false, _ work: @escaping Work) {
    let worker = state.withLock { state in
      state.waiting.append(Piece(work: work, isLong: isLong), of: camera)
      return state.idle.popLast()
    }
    if let worker { queues[worker].async { self.run(worker) } }
  }

  private func run(_ worker: Int) {
    while let piece = next(worker) {
      piece.work { encoder(of: worker) }
      if piece.isLong { state.withLock { $0.longUnderWay -= 1 } }
    }
  }

  private func next(_ worker: Int) -> Piece? {
    state.withLock { state in
      let mostLong = state.renditions == 0 ? queues.count : max(queues.count - 1, 1)
      let mayBeLong = state.longUnderWay < mostLong
      let piece = state.waiting.popFirst { mayBeLong || !$0.isLong }
      if let piece {
        state.longUnderWay += piece.isLong ? 1 : 0
      } else {
        state.idle.append(worker)
      }
      return piece
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
