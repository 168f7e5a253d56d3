import CaptureModel
import CaptureSystem
import Synchronization

/// Notes what a camera delivers; keeps the frames only when told to.
final class Recorder: FrameReceiver {
  struct Record {
    var frames = 0
    var sequences: [UInt64] = []
    var timestamps: [FrameTimestamp] = []
    /// Bytes of each segment of each frame.
    var sizes: [[Int]] = []
    var kept: [Frame] = []
    var keep = 0
    var interruptions: [String] = []
    var ended: CaptureError?
    var buffersLow = 0
    /// The discontinuity of each first frame after an interruption, with the number of frames before it.
    var resumed: [(after: Int, discontinuity: StreamDiscontinuity)] = []

    /// From 0 on, each higher than the last, with as many missing as the camera counted.
    func isNumberedWithoutGaps(but lost: UInt64) -> Bool {
      guard let last = sequences.last else { return false }
      return sequences.first == 0 && zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 }
        && last + 1 == UInt64(frames) + lost
    }
  }
  private let state = Mutex(Record())

  init(keeping count: Int = 0) { state.withLock { $0.keep = count } }

  var record: Record { state.withLock { $0 } }

  func release() {
    let frames = state.withLock { state in
      defer { (state.kept, state.keep) = ([], 0) }
      return state.kept
    }
    withExtendedLifetime(frames) {}
  }

  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool { true }

  func received(_ frame: Frame) {
    state.withLock { state in
      if let discontinuity = frame.discontinuity { state.resumed.append((state.frames, discontinuity)) }
      state.frames += 1
      state.sequences.append(frame.sequence)
      state.timestamps.append(frame.timestamp)
      state.sizes.append(frame.payload.segments.map(\.count))
      if state.kept.count < state.keep { state.kept.append(frame) }
    }
  }

  func streamEvent(_ event: StreamEvent) {
    state.withLock { state in
      switch event {
      case .interrupted(let reason): state.interruptions.append(reason)
      case .ended(let error): state.ended = error
      case .buffersLow: state.buffersLow += 1
      }
    }
  }

  /// Waits until `count` more frames have come.
  func frames(_ count: Int, within limit: Duration = .seconds(5)) async throws {
    let goal = record.frames + count
    try await wait(limit, for: "\(count) frames") { record.frames >= goal }
  }
}
