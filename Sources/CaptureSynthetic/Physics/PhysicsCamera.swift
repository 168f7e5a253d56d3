import CaptureModel
import CaptureSystem

/// A camera whose pictures are computed by physics: a scene with depth, a lens, a sensor, coloured light, a torch. The engine gets what V4L2 would give
/// it; ``truth`` is for tests.
package final class PhysicsCamera: PluggedCamera {
  let device: SyntheticDevice
  package let truth: PhysicsTruth

  /// `unplugged` is called when a fault unplugs the camera, with the time for which the camera stays away.
  init(_ spec: SyntheticSpec, index: Int, unplugged: @escaping @Sendable (Duration) -> Void) {
    device = SyntheticDevice(
      spec,
      CameraDescription(
        id: CameraID(rawValue: "synthetic-physics-\(index)"), name: "Physics Camera \(index)",
        driver: "physics", bus: "synthetic-physics-\(index)", serial: "\(index)",
        manufacturer: "RemoteCapture"),
      unplugged: unplugged)
    truth = PhysicsTruth(spec.physics ?? PhysicsOptions())
  }

  package func startStreaming(
    _ request: StreamRequest, into receiver: any FrameReceiver
  ) async throws(CaptureError) -> StreamFormat {
    try await device.startStreaming(request, into: receiver, timestamps: truth.options.timestamps) {
      [truth] format, schedule in PhysicsSource(format, schedule, truth)
    }
  }

  /// Makes the camera fail.
  package func inject(_ fault: SyntheticFault) async { await device.inject(fault) }

  package func controls() async throws(CaptureError) -> [ControlDescription] {
    try await device.transferControls()
    return truth.withLock { $0.model.descriptions }
  }

  package func values(of ids: [ControlID]) async throws(CaptureError)
    -> [ControlValue]
  {
    try await device.transferControls()
    let model = truth.withLock { $0.model }
    var values: [ControlValue] = []
    for id in ids {
      guard let value = model.value(id) else { throw model.unknown(id) }
      values.append(.integer(value))
    }
    return values
  }

  package func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  {
    try await device.transferControls(pacing)
    let began = MonotonicClock.now()
    let result = truth.withLock { log -> Result<[ControlChange], CaptureError> in
      let before = log.model
      do throws(CaptureError) {
        // All assignments or none are set, so they are tried on a copy first.
        var trial = before
        for assignment in assignments { _ = try trial.set(assignment, at: 0) }
        let time = MonotonicClock.now()
        for assignment in assignments { log.record(try log.model.set(assignment, at: time)) }
        return .success(log.model.changes(since: before, by: assignments))
      } catch {
        return .failure(error)
      }
    }
    let ended = MonotonicClock.now()
    let changes = try result.get()
    let observer = device.state.withLock { $0.observer }
    for change in changes { observer?(change) }
    return Array(repeating: ControlMoment(began: began, ended: ended), count: assignments.count)
  }
}

/// Makes the pictures from the true state.
final class PhysicsSource: PictureSource {
  private let renderer: PhysicsRenderer
  private let truth: PhysicsTruth
  private let stream: Int

  init(_ format: StreamFormat, _ schedule: FrameSchedule, _ truth: PhysicsTruth) {
    self.truth = truth
    let aspect = Double(format.size.width) / Double(format.size.height)
    let scene = PhysicsScene(aspect: aspect, seed: truth.options.seed, window: truth.options.window)
    renderer = PhysicsRenderer(format, scene: scene, options: truth.options)
    stream = truth.withLock { $0.begin(schedule, scene) }
  }

  deinit {
    let stream = stream
    truth.withLock { $0.end(stream) }
  }

  var buffers: LentBuffers? { renderer.buffers }

  func picture(_ sequence: UInt64, schedule: FrameSchedule) -> Payload? {
    renderer.render(truth.withLock { $0.expose(sequence) })
  }
}
