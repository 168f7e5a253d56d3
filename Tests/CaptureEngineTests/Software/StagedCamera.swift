import CaptureImaging
import CaptureModel
import CaptureSystem
import Synchronization

@testable import CaptureSynthetic

/// The camera with physics as the engine drives any, but that its frames come when a test asks for them, on a clock of its own: nothing depends
/// on how fast the machine is.
final class StagedCamera: Camera {
  let description = CameraDescription(
    id: CameraID(rawValue: "staged"), name: "Staged camera", driver: "synthetic", bus: "staged")
  let truth: PhysicsTruth
  private let stage: Mutex<PhysicsStage>
  private let format: StreamFormat
  private let encoder = Mutex(JPEGEncoder())
  private let state = Mutex(State())
  private struct State {
    var receiver: (any FrameReceiver)?
    var setting: CaptureError?
    var assignments: [ControlAssignment] = []
  }

  init(_ options: PhysicsOptions, size: FrameSize, isJPEG: Bool = false) {
    let stage = PhysicsStage(options, size: size)
    truth = stage.truth
    format =
      isJPEG
      ? StreamFormat(
        pixelFormat: .mjpeg, size: size, interval: stage.format.interval, planes: []) : stage.format
    self.stage = Mutex(stage)
  }

  /// Gives the next frame; `false` while nobody streams.
  func step() throws -> Bool {
    guard let receiver = state.withLock({ $0.receiver }) else { return false }
    let frame = stage.withLock { $0.step() }
    guard format.pixelFormat.isJPEG else {
      receiver.received(frame)
      return true
    }
    let jpeg = try encoder.withLock { try $0.encode(frame, quality: 85, into: PayloadPool()) }
    receiver.received(
      Frame(payload: jpeg, format: format, sequence: frame.sequence, timestamp: frame.timestamp))
    return true
  }

  func changeWorld(_ body: @Sendable (inout PhysicsWorld) -> Void) {
    stage.withLock { _ = $0.changeWorld(body) }
  }

  /// Whatever is set is refused so from now on.
  func refuse(_ error: CaptureError?) { state.withLock { $0.setting = error } }

  /// What was set since this was asked last.
  func takeAssignments() -> [ControlAssignment] {
    state.withLock { state in
      defer { state.assignments = [] }
      return state.assignments
    }
  }

  func formats() async throws(CaptureError) -> [FormatDescription] {
    [
      FormatDescription(
        pixelFormat: format.pixelFormat, description: "staged", isCompressed: format.pixelFormat.isJPEG,
        sizes: [SizeOption(discrete: format.size, intervals: .discrete([format.interval!]))])
    ]
  }

  func intervals(for pixelFormat: PixelFormat, at size: FrameSize) async throws(CaptureError)
    -> IntervalOptions
  { .unknown }

  func controls() async throws(CaptureError) -> [ControlDescription] {
    truth.withLock { $0.model.descriptions }
  }

  func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    truth.withLock { log in ids.map { .integer(log.model.value($0) ?? 0) } }
  }

  func set(_ assignments: [ControlAssignment]) async throws(CaptureError) {
    _ = try await set(assignments, pacing: nil)
  }

  func set(_ assignments: [ControlAssignment], pacing: FramePacing?) async throws(CaptureError)
    -> [ControlMoment]
  {
    if let error = state.withLock({ $0.setting }) { throw error }
    let result = stage.withLock { stage -> Result<UInt64, CaptureError> in
      do throws(CaptureError) {
        for assignment in assignments { try stage.set(assignment.id, assignment.value.number ?? 0) }
        return .success(stage.now)
      } catch {
        return .failure(error)
      }
    }
    let now = try result.get()
    state.withLock { $0.assignments += assignments }
    return Array(repeating: ControlMoment(began: now, ended: now), count: assignments.count)
  }

  func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {}

  func startStreaming(_ request: StreamRequest, into receiver: any FrameReceiver) async throws(CaptureError)
    -> StreamFormat
  {
    state.withLock { $0.receiver = receiver }
    return format
  }

  func stopStreaming() async { state.withLock { $0.receiver = nil } }

  var counters: CameraCounters { CameraCounters() }
}
