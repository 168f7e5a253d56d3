import CaptureImaging
import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine
@testable import CaptureSynthetic

/// The camera with physics as the engine drives any, but that its frames come when a test asks for them, on a clock of its own: nothing depends
/// on how fast the machine is.
final class StagedCamera: Camera {
  let description: CameraDescription
  let truth: PhysicsTruth
  private let stage: Mutex<Stage>
  private let format: StreamFormat
  /// Larger sizes that it offers beside that of its first stream.
  private let largerSizes: [FrameSize]
  private let encoder = Mutex(JPEGEncoder())
  private let queue = QueueExecutor(label: "staged-camera").queue
  private let state = Mutex(State())
  fileprivate struct State {
    var receiver: (any FrameReceiver)?
    var stops = 0
    var setting: CaptureError?
    /// What is refused with that; `nil`: everything.
    var refused: ControlID?
    /// The value of it that is refused; `nil`: every value.
    var refusedValue: ControlValue?
    /// How often it is still refused; `nil`: always.
    var refusalsLeft: Int?
    /// How often it was refused.
    var refusals = 0
    var assignments: [ControlAssignment] = []
    /// What can only be read.
    var readOnly: Set<ControlID> = []
    /// The values that its controls have after a start.
    var startValues: [ControlAssignment] = []
  }
  private struct Stage {
    var stage: PhysicsStage
    var settingTimes: SeededNumbers?
  }

  /// What is set comes into force at the time that `settingTimes` choose within a frame's exposure; without them: 1 ms after its beginning.
  init(
    _ options: PhysicsOptions, size: FrameSize, isJPEG: Bool = false, driver: String = "physics",
    settingTimes: SeededNumbers? = nil, largerSizes: [FrameSize] = [], readOnly: Set<ControlID> = []
  ) {
    self.largerSizes = largerSizes
    state.withLock { $0.readOnly = readOnly }
    description = CameraDescription(
      id: CameraID(rawValue: "staged"), name: "Staged camera", driver: driver, bus: "staged")
    let stage = PhysicsStage(options, size: size)
    truth = stage.truth
    format =
      isJPEG
      ? StreamFormat(
        pixelFormat: .mjpeg, size: size, interval: stage.format.interval, planes: []) : stage.format
    self.stage = Mutex(Stage(stage: stage, settingTimes: settingTimes))
  }

  /// Gives the next frame. Returns its number once the receiver has it; `nil` while nobody streams.
  @discardableResult
  func step() -> UInt64? {
    queue.sync {
      guard let receiver = state.withLock({ $0.receiver }) else { return nil }
      let frame = stage.withLock { state in
        let frame = state.stage.step()
        if var times = state.settingTimes.take() {
          state.stage.pass(using: &times)
          state.settingTimes = times
        }
        return frame
      }
      do {
        receiver.received(try encoded(frame))
      } catch {
        Issue.record(error)
      }
      return frame.sequence
    }
  }

  private func encoded(_ frame: Frame) throws -> Frame {
    guard format.pixelFormat.isJPEG else { return frame }
    let jpeg = try encoder.withLock { try $0.encode(frame, quality: 85, into: PayloadPool()) }
    return Frame(
      payload: jpeg, format: compressed(frame.format), sequence: frame.sequence, timestamp: frame.timestamp)
  }

  func changeWorld(_ body: @Sendable (inout PhysicsWorld) -> Void) {
    stage.withLock { _ = $0.stage.changeWorld(body) }
  }

  static let refused = CaptureError(.invalidArgument, "out of range")

  /// Whatever is set is refused so from now on, or one control, or one value of it; `times`: that often, then no more.
  func refuse(
    _ error: CaptureError?, of control: ControlID? = nil, at value: ControlValue? = nil, times: Int? = nil
  ) {
    state.withLock { state in
      (state.setting, state.refused, state.refusedValue) = (error, control, value)
      (state.refusalsLeft, state.refusals) = (times, 0)
    }
  }

  /// How often it was stopped, whether or not it streamed.
  var stops: Int { state.withLock(\.stops) }

  /// How often something was refused since it was told what to refuse.
  var refusals: Int { state.withLock(\.refusals) }

  /// From now on it forgets controls when it starts: its first frame has these values.
  func starts(with values: [ControlAssignment]) { state.withLock { $0.startValues = values } }

  /// What was set since this was asked last.
  func takeAssignments() -> [ControlAssignment] {
    state.withLock { state in
      defer { state.assignments = [] }
      return state.assignments
    }
  }

  nonisolated(nonsending) func formats() async throws(CaptureError) -> [FormatDescription] {
    [
      FormatDescription(
        pixelFormat: format.pixelFormat, description: "staged", isCompressed: format.pixelFormat.isJPEG,
        sizes: ([format.size] + largerSizes).map {
          SizeOption(discrete: $0, intervals: .discrete([format.interval!]))
        })
    ]
  }

  nonisolated(nonsending) func intervals(for pixelFormat: PixelFormat, at size: FrameSize)
    async throws(CaptureError)
    -> IntervalOptions
  {
    format.interval.map { .discrete([$0]) } ?? .unknown
  }

  nonisolated(nonsending) func controls() async throws(CaptureError) -> [ControlDescription] {
    let readOnly = state.withLock(\.readOnly)
    return truth.withLock { $0.model.descriptions }.map { control in
      var control = control
      if readOnly.contains(control.id) { control.flags.insert(.readOnly) }
      return control
    }
  }

  nonisolated(nonsending) func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    truth.withLock { log in ids.map { .integer(log.model.value($0) ?? 0) } }
  }

  nonisolated(nonsending) func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError)
    -> [ControlMoment]
  {
    if let refusal = state.withLock({ $0.refusal(of: assignments) }) { throw refusal }
    let result = stage.withLock { state -> Result<UInt64, CaptureError> in
      let now = state.stage.now
      do throws(CaptureError) {
        // All assignments or none are set, so they are tried on a copy first.
        var trial = state.stage.truth.withLock { $0.model }
        for assignment in assignments { _ = try trial.set(assignment, at: 0) }
        for assignment in assignments { try state.stage.set(assignment.id, assignment.value.number ?? 0) }
        return .success(now)
      } catch {
        return .failure(error)
      }
    }
    let now = try result.get()
    state.withLock { $0.assignments += assignments }
    return Array(repeating: ControlMoment(began: now, ended: now), count: assignments.count)
  }

  nonisolated(nonsending) func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {}

  nonisolated(nonsending) func startStreaming(_ request: StreamRequest, into receiver: any FrameReceiver)
    async throws(CaptureError)
    -> StreamFormat
  {
    let values = state.withLock(\.startValues)
    let present = stage.withLock { state in
      if state.stage.format.size != request.size {
        state.stage = PhysicsStage(after: state.stage, size: request.size)
      }
      for value in values { _ = try? state.stage.set(value.id, value.value.number ?? 0) }
      // By the first frame that it gives they are in force, whatever their delay.
      for _ in 0..<(values.isEmpty ? 0 : 5) { _ = state.stage.step() }
      return state.stage.format
    }
    state.withLock { $0.receiver = receiver }
    return format.pixelFormat.isJPEG ? compressed(present) : present
  }

  private func compressed(_ raw: StreamFormat) -> StreamFormat {
    StreamFormat(pixelFormat: .mjpeg, size: raw.size, interval: raw.interval, planes: [])
  }

  nonisolated(nonsending) func stopStreaming() async {
    state.withLock { state in
      state.receiver = nil
      state.stops += 1
    }
  }

  var counters: CameraCounters { CameraCounters() }
}

extension StagedCamera.State {
  /// The error with which these are refused; `nil`: they are not.
  fileprivate mutating func refusal(of assignments: [ControlAssignment]) -> CaptureError? {
    let isMeant = assignments.contains { assignment in
      (refused ?? assignment.id) == assignment.id && (refusedValue ?? assignment.value) == assignment.value
    }
    guard let setting, isMeant, refusalsLeft != 0 else { return nil }
    refusalsLeft = refusalsLeft.map { $0 - 1 }
    refusals += 1
    return setting
  }
}

extension FrameMeasurer {
  /// A camera that delivers a frame whenever one is waited for. A long silence means only that the machine is busy.
  convenience init(stepping camera: StagedCamera) {
    self.init(longestSilence: .seconds(300)) { camera.step() }
  }
}
