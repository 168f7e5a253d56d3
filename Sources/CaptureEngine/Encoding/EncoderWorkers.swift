import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// The few threads that encode, copy and measure pictures, for all cameras. Cameras take turns, and so do the renditions of each.
///
/// A caller whose pieces of work have to stay in order submits one piece at a time. While there are renditions, whose frames come many times a
/// second, one thread does no long work, if there are at least two threads.
public final class EncoderWorkers: Sendable {
  /// A piece of work. It asks for the worker's encoder if it needs one.
  typealias Work = @Sendable (_ encoder: () -> any PictureEncoder) -> Void
  private struct Piece {
    let work: Work
    let camera: CameraID
    let isLong: Bool
  }
  /// What is kept for renditions only.
  private struct Unused {
    let encoders: [(any PictureEncoder)?]
    let pool: PayloadPool?
  }
  private struct State {
    var waiting = RoundRobinQueue<CameraID, Piece>()
    /// How many workers do long work now.
    var longUnderWay = 0
    /// The camera of each piece of long work that waits, in the order in which the pieces came.
    var longWaiting: [CameraID] = []
    /// The indices of the workers that have nothing to do.
    var idle: [Int]
    /// One encoder for each worker, with its scratch memory, while there are renditions.
    var encoders: [(any PictureEncoder)?]
    /// The memory of pictures, while there are renditions.
    var pool: PayloadPool?
    var renditions = 0

    /// How many workers may do long work at once.
    var mostLong: Int { renditions == 0 ? encoders.count : max(encoders.count - 1, 1) }
  }
  private let state: Mutex<State>
  private let queues: [DispatchQueue]
  private let makeEncoder: @Sendable () -> any PictureEncoder
  /// The memory of pictures. It is used again while there are renditions, and otherwise given back with each picture's last reader.
  var pool: PayloadPool { state.withLock(\.pool) ?? PayloadPool(keep: 0) }
  /// How many bytes of it are kept to be used again, beside what pictures have that are still read.
  private static let mostKept = 33_554_432

  /// `count`: usually 2, or 1 on a machine with one processor.
  public init(count: Int, makeEncoder: @escaping @Sendable () -> any PictureEncoder) {
    // One thread for each encoder. Work that must not wait for an encode has other threads.
    queues = (0..<max(count, 1)).map { DispatchQueue(label: "encoder-\($0)", target: .global(qos: .utility)) }
    state = Mutex(
      State(idle: Array(queues.indices), encoders: Array(repeating: nil, count: queues.count)))
    self.makeEncoder = makeEncoder
  }

  /// Returns the workers for frames in a format: `own` if libv4lconvert reads the format, otherwise these. This project has not checked that library
  /// line by line, so its work may take long, and no other work waits for it.
  func forFrames(
    _ pixelFormat: PixelFormat, _ imaging: Imaging, own: @autoclosure () -> EncoderWorkers
  ) -> EncoderWorkers {
    imaging.conversion(pixelFormat) == .libv4lconvert ? own() : self
  }

  /// Makes workers with one thread of their own, for work that may take long.
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
      state.waiting.append(Piece(work: work, camera: camera, isLong: isLong), of: camera)
      if isLong { state.longWaiting.append(camera) }
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
      // The next long work is the oldest, whichever camera has its turn. While long work may not begin, a camera spends its turns on other work, so
      // that other cameras' long work would overtake the oldest again and again.
      let longNext = state.longUnderWay < state.mostLong ? state.longWaiting.first : nil
      let piece = state.waiting.popFirst { !$0.isLong || $0.camera == longNext }
      if let piece {
        if piece.isLong {
          state.longWaiting.removeFirst()
          state.longUnderWay += 1
        }
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

  /// Notes that a rendition began. While there are renditions, the workers keep their encoders and the memory of pictures.
  func renditionBegan() {
    state.withLock { state in
      state.renditions += 1
      state.pool = state.pool ?? PayloadPool(keep: 8, bytes: Self.mostKept)
    }
  }

  /// Notes that a rendition ended. After the last one the encoders and the memory are freed, and all workers may do long work.
  func renditionEnded() {
    let (unused, idle) = state.withLock { state -> (Unused?, [Int]) in
      state.renditions -= 1
      guard state.renditions == 0 else { return (nil, []) }
      let unused = Unused(encoders: state.encoders, pool: state.pool.take())
      state.encoders = Array(repeating: nil, count: state.encoders.count)
      guard !state.waiting.isEmpty else { return (unused, []) }
      defer { state.idle = [] }
      return (unused, state.idle)
    }
    _ = unused  // It is freed outside the lock.
    for worker in idle { queues[worker].async { self.run(worker) } }
  }

  /// How many pieces of long work may be under way at once.
  var mostLong: Int { state.withLock(\.mostLong) }
}
