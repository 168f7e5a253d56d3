import CaptureModel

/// The model, with a record of its settings and frames.
struct PhysicsLog {
  var model: PhysicsModel
  private(set) var effects: [PhysicsEffect] = []
  private(set) var latest: PhysicsFrame?
  /// Frame n is at n modulo the count.
  private var frames: [PhysicsFrame?]
  private(set) var metering: Metering
  private static let count = 4096

  init(_ options: PhysicsOptions) {
    model = PhysicsModel(options)
    frames = Array(repeating: nil, count: Self.count)
    metering = Metering(PhysicsScene(aspect: 4.0 / 3, seed: options.seed, window: options.window))
  }

  /// Returns the stream's number.
  mutating func begin(_ schedule: FrameSchedule, _ scene: PhysicsScene) -> Int {
    metering = Metering(scene)
    frames = Array(repeating: nil, count: Self.count)
    latest = nil
    model.begin(schedule, metering)
    return model.stream
  }

  /// Ends a stream. It does nothing if another stream has begun since.
  mutating func end(_ stream: Int) {
    if model.stream == stream { model.end() }
  }

  mutating func expose(_ sequence: UInt64) -> PhysicsFrame {
    let frame = model.expose(sequence)
    frames[Int(sequence % UInt64(Self.count))] = frame
    latest = frame
    return frame
  }

  mutating func record(_ effect: PhysicsEffect) {
    if effects.count >= Self.count { effects.removeFirst(Self.count / 2) }
    effects.append(effect)
  }

  func frame(_ sequence: UInt64) -> PhysicsFrame? {
    frames[Int(sequence % UInt64(Self.count))].flatMap { $0.sequence == sequence ? $0 : nil }
  }
}
