import CaptureModel
import CaptureSystem

/// A camera with physics and without a clock, for tests. Its frames come when they are asked for, and are the same every time.
package final class PhysicsStage {
  package let format: StreamFormat
  package let truth: PhysicsTruth
  private let source: PhysicsSource
  private let schedule: FrameSchedule
  /// The time on the stage's own clock, in nanoseconds. After a frame, it is 1 ms after the end of that frame, which is inside the exposure of the
  /// next one.
  package private(set) var now: UInt64
  /// The number of the next frame.
  package private(set) var next: UInt64 = 0

  package convenience init(
    _ options: PhysicsOptions = PhysicsOptions(), pixelFormat: PixelFormat = .yuyv,
    size: FrameSize = FrameSize(width: 320, height: 240),
    interval: FrameInterval = FrameInterval(numerator: 1, denominator: 30)!
  ) {
    self.init(
      PhysicsTruth(options), pixelFormat: pixelFormat, size: size, interval: interval, from: 1_000_000_000)
  }

  /// The same camera with its next stream, in another size.
  package convenience init(after former: PhysicsStage, size: FrameSize) {
    self.init(
      former.truth, pixelFormat: former.format.pixelFormat, size: size,
      interval: former.schedule.interval, from: former.now)
  }

  private init(
    _ truth: PhysicsTruth, pixelFormat: PixelFormat, size: FrameSize, interval: FrameInterval,
    from start: UInt64
  ) {
    let spec = SyntheticSpec.physics(truth.options, size: size, interval: interval)
    format = spec.streamFormat(StreamRequest(pixelFormat: pixelFormat, size: size), interval: interval)
    schedule = FrameSchedule(start: start + interval.nanoseconds, interval: interval)
    now = start
    self.truth = truth
    source = PhysicsSource(format, schedule, truth)
  }

  /// Sets a control now, as the camera does. Before the first step, that is before frame 0 is exposed.
  @discardableResult
  package func set(_ id: ControlID, _ value: Int64) throws(CaptureError) -> PhysicsEffect {
    let time = now
    let result = truth.withLock { log -> Result<PhysicsEffect, CaptureError> in
      do throws(CaptureError) {
        let effect = try log.model.set(ControlAssignment(id, .integer(value)), at: time)
        log.record(effect)
        return .success(effect)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Moves ``now`` to a random moment in the rest of the frame that is being exposed.
  package func pass(using dice: inout some RandomNumberGenerator) {
    now = UInt64.random(in: now..<schedule.due(next), using: &dice)
  }

  /// Every control as it is now.
  package var controls: [ControlDescription] { truth.withLock { $0.model.descriptions } }

  /// The value that reading the control gives.
  package func value(_ id: ControlID) -> Int64? { truth.withLock { $0.model.value(id) } }

  /// Changes the world before the camera, now. Returns the first frame that shows the change.
  @discardableResult
  package func changeWorld(_ body: @Sendable (inout PhysicsWorld) -> Void) -> UInt64 {
    truth.changeWorld(at: now, body)
  }

  /// Takes the next frame. Its buffer must be released before six more frames are taken.
  package func step() -> Frame {
    let sequence = next
    guard let payload = source.picture(sequence, schedule: schedule) else {
      preconditionFailure("all \(PhysicsRenderer.bufferCount) frames are held")
    }
    next += 1
    now = schedule.due(sequence) + 1_000_000
    let time =
      truth.options.timestamps == .endOfFrame ? schedule.due(sequence) : schedule.begin(sequence)
    return Frame(
      payload: payload, format: format, sequence: sequence,
      timestamp: FrameTimestamp(nanoseconds: time, clock: .monotonic, source: truth.options.timestamps))
  }

  /// Takes frames until `isReached` is true for one, at most `count`. Returns that frame; `nil`: there was none.
  package func steps(_ count: Int, until isReached: (PhysicsFrame) -> Bool) -> Frame? {
    for _ in 0..<count {
      let frame = step()
      if isReached(truth.frame(frame.sequence)!) { return frame }
    }
    return nil
  }
}
