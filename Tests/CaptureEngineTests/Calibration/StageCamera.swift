import CaptureModel
import CaptureSynthetic
import CaptureSystem
import Synchronization

/// A camera with physics and no clock: a frame comes when the test asks for it, on a time of its own, so that nothing depends on how fast the
/// machine is.
final class StageCamera: Camera {
  private struct State {
    let stage: PhysicsStage
    var dice: SeededDice
  }
  private let state: Mutex<State>
  private let receiver = Mutex<(any FrameReceiver)?>(nil)
  private let queue = QueueExecutor(label: "stage-camera").queue
  let truth: PhysicsTruth
  let description = CameraDescription(id: CameraID(rawValue: "stage"), name: "Stage", driver: "stage")
  private let format: StreamFormat
  private let interval: FrameInterval

  init(_ options: PhysicsOptions, size: FrameSize, rate: Double = 30) {
    interval = FrameInterval(rate: rate)!
    let made = PhysicsStage(options, size: size, interval: interval)
    truth = made.truth
    format = made.format
    state = Mutex(State(stage: made, dice: SeededDice(seed: options.seed)))
  }

  /// The next frame. Returns its number once the receiver has it.
  @discardableResult
  func step() -> UInt64 {
    let frame = state.withLock { state in
      let frame = state.stage.step()
      state.stage.pass(using: &state.dice)
      return frame
    }
    let receiver = receiver.withLock { $0 }
    queue.sync { receiver?.received(frame) }
    return frame.sequence
  }

  func changeWorld(_ body: @Sendable (inout PhysicsWorld) -> Void) {
    state.withLock { _ = $0.stage.changeWorld(body) }
  }

  func formats() async throws(CaptureError) -> [FormatDescription] {
    [
      FormatDescription(
        pixelFormat: .yuyv, description: "YUYV",
        sizes: [SizeOption(discrete: format.size, intervals: .discrete([interval]))])
    ]
  }

  func intervals(for pixelFormat: PixelFormat, at size: FrameSize) async throws(CaptureError)
    -> IntervalOptions
  {
    .discrete([interval])
  }

  func controls() async throws(CaptureError) -> [ControlDescription] { state.withLock { $0.stage.controls } }

  func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    state.withLock { state in ids.map { .integer(state.stage.value($0) ?? 0) } }
  }

  func set(_ assignments: [ControlAssignment]) async throws(CaptureError) {
    _ = try await set(assignments, pacing: nil)
  }

  /// At some time in the frame that is being exposed.
  func set(_ assignments: [ControlAssignment], pacing: FramePacing?) async throws(CaptureError)
    -> [ControlMoment]
  {
    let result = state.withLock { state -> Result<ControlMoment, CaptureError> in
      let time = state.stage.now
      do throws(CaptureError) {
        for assignment in assignments {
          guard let value = assignment.value.number else { continue }
          try state.stage.set(assignment.id, value)
        }
      } catch {
        return .failure(error)
      }
      return .success(ControlMoment(began: time, ended: time))
    }
    return Array(repeating: try result.get(), count: assignments.count)
  }

  func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {}

  func startStreaming(_ request: StreamRequest, into receiver: any FrameReceiver) async throws(CaptureError)
    -> StreamFormat
  {
    self.receiver.withLock { $0 = receiver }
    return format
  }

  func stopStreaming() async { receiver.withLock { $0 = nil } }

  var counters: CameraCounters { CameraCounters() }
}

/// The same numbers every time (SplitMix64).
struct SeededDice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
