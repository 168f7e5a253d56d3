import CaptureModel
import CaptureSystem

/// How long a stream may be silent, and how soon it is restarted.
struct StreamTiming: Sendable {
  /// A stream that has given frames is stalled after this time without a frame, or after three frame intervals if those are longer.
  var stall: Duration
  /// The time that replaces ``stall`` until the first frame has come: webcams take long to start.
  var firstFrame: Duration
  /// A stream is also stalled after this time without a good picture, though the driver delivers damaged or empty ones.
  var damaged = Duration.seconds(10)
  /// The pauses between attempts: the first one comes after the first failed attempt; the last one is used for all later attempts.
  var pauses: [Duration]

  static let standard = StreamTiming(
    stall: .seconds(1), firstFrame: .seconds(3),
    pauses: [.milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1)])
}

extension CaptureStream {
  /// Handles the failure of a system call on the running stream.
  func failed(_ error: Errno, _ what: String) {
    let failure = DeviceFailure(path: path)(error, what)
    if failure.isUnplugged { return end(failure) }
    interrupt(failure.message)
  }

  private func interrupt(_ reason: String) {
    endRun()
    guard let wanted else { return }
    counters.update { $0.restarts += 1 }
    if discontinuity == nil {
      discontinuity = StreamDiscontinuity(.resumed, reason: reason)
      wanted.receiver.streamEvent(.interrupted(reason: reason))
    }
    scheduleAttempt()
  }

  private func scheduleAttempt() {
    let pause = attempts == 0 ? .zero : timing.pauses[min(attempts, timing.pauses.count) - 1]
    attempts += 1
    schedule(after: pause) { $0.attempt() }
  }

  private func attempt() {
    guard let wanted else { return }
    do throws(CaptureError) {
      let run = try StreamRun(
        path: path, type, wanted.request, system: system, memory: memory, on: thread)
      guard run.format == wanted.format else {
        run.end()
        return end(
          CaptureError(
            .failedPrecondition, "\(path) came back with another format than \(wanted.format.size)",
            .init(.streamEnded)))
      }
      deliver(run)
    } catch {
      // Another attempt cannot help if the camera is gone, or no longer offers the format.
      if error.isUnplugged || error.code == .invalidArgument { return end(error) }
      scheduleAttempt()
    }
  }

  /// Restarts the stream if it is stalled. Otherwise this looks again when the present silence would be a stall; frames in between cost nothing.
  func watchForStall() {
    guard let wanted else { return }
    let interval = wanted.format.interval?.nanoseconds ?? 0
    let threeFrames = Duration.nanoseconds(Int64(interval * 3))
    let limit = max(hasFrames ? timing.stall : timing.firstFrame, threeFrames)
    let now = MonotonicClock.now()
    let silence = Duration.nanoseconds(Int64(now - lastFrame))
    let damage = Duration.nanoseconds(Int64(now - lastPicture))
    let rest = min(limit - silence, max(timing.damaged, threeFrames) - damage)
    // The silence of a driver with fewer than two buffers is no stall: it may have to wait for readers.
    guard rest <= .zero, let run, run.queued >= 2 else {
      return schedule(after: max(rest, .milliseconds(20))) { $0.watchForStall() }
    }
    do throws(Errno) {
      try run.check()
      interrupt(
        silence >= limit
          ? "\(path) gave no frame for \(silence.components.seconds) s"
          : "\(path) gave only damaged or empty frames for \(damage.components.seconds) s")
    } catch {
      failed(error, "waiting for a frame")
    }
  }

  private func schedule(
    after pause: Duration, _ action: @escaping @Sendable (isolated CaptureStream) -> Void
  ) {
    let timer = thread.timer { [weak self] in self?.assumeIsolated { action($0) } }
    timer.arm(MonotonicClock.now() + UInt64(pause / .nanoseconds(1)))
    self.timer = timer
  }
}
