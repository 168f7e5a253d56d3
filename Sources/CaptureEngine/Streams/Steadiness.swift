import CaptureModel

/// For how long a stream's frames have come under the same settings, without an interruption.
struct Steadiness {
  /// The earliest time of a frame since the latest disturbance, in nanoseconds; `nil`: none has come since then.
  private var since: UInt64?
  /// The time of the latest frame, in nanoseconds.
  private var latest: UInt64?
  /// When a consumer saw that the camera had settled: the time of the latest frame then, in nanoseconds.
  private var settledAt: UInt64?
  /// The number of the latest change of settings: frames without this change do not count.
  private var change: UInt64 = 0
  /// How many disturbances there were: after one, earlier pictures say nothing about later ones.
  private(set) var disturbances: UInt64 = 0

  /// Notes a frame of that time, whether a consumer got it or not. `change`: the latest change that it has; `nil`: unknown.
  mutating func noteFrame(at time: UInt64, change: UInt64?) {
    latest = time
    guard has(change) else { return disturbed() }
    // Timestamps may go back.
    if time < since ?? .max { since = time }
  }

  /// Whether a frame has the latest change. `change`: the latest change that the frame has; `nil`: unknown, which counts as having it.
  func has(_ change: UInt64?) -> Bool { change.map { $0 >= self.change } ?? true }

  /// Notes that settings were changed, or reverted.
  mutating func noteChange(_ change: UInt64? = nil) {
    self.change = change ?? self.change
    disturbed()
  }

  /// Notes that further pictures may differ from those before.
  mutating func disturbed() {
    (since, settledAt) = (nil, nil)
    disturbances += 1
  }

  /// Notes that a consumer saw in the pictures that the camera has settled.
  mutating func settled() { settledAt = latest }

  var duration: Duration { span(from: since) ?? .zero }

  /// How long ago a consumer saw that the camera had settled; `nil`: none has, or something has changed since.
  var sinceSettled: Duration? { span(from: settledAt) }

  private func span(from start: UInt64?) -> Duration? {
    guard let start, let latest, latest >= start else { return nil }
    return .nanoseconds(latest - start)
  }
}

extension StreamHub {
  var steadiness: Steadiness { state.withLock(\.steadiness) }

  /// Notes that further frames may differ from those before. `change`: the latest change of settings.
  func settingsChanged(to change: UInt64?) { state.withLock { $0.steadiness.noteChange(change) } }

  /// Notes that a consumer saw in the pictures that the camera has settled. `disturbances`: how many there were when the consumer began to measure.
  /// If there are more by now, what the consumer saw no longer counts.
  func sawSettled(after disturbances: UInt64) {
    state.withLock { state in
      if state.steadiness.disturbances == disturbances { state.steadiness.settled() }
    }
  }
}
