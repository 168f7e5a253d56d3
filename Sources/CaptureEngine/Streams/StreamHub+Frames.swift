import CaptureModel
import CaptureSystem

extension StreamHub {
  /// Asked by cameras that render on demand. A frame that nobody takes is accounted for here.
  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool {
    let isWanted = software?.wantsFrames == true || isWanted(timestamp)
    if !isWanted { _ = timeline.frame(sequence, timestamp: timestamp) }
    return isWanted
  }

  private func isWanted(_ timestamp: UInt64) -> Bool {
    state.withLock { state in
      if !state.photos.isEmpty || state.outputs.contains(where: { state.isTaken(by: $0, at: timestamp) }) {
        return true
      }
      state.frames += 1
      let now = MonotonicClock.now()
      state.meter.tick(now)
      state.lastFrame = now
      for subscription in state.subscriptions { subscription.pass(timestamp) }
      return false
    }
  }

  func received(_ frame: Frame) {
    let now = MonotonicClock.now()
    let time = frame.timestamp.clock == .monotonic ? frame.timestamp.nanoseconds : now
    let settings = timeline.frame(frame.sequence, timestamp: time, source: frame.timestamp.source)
    if frame.format.pixelFormat.isJPEG, let defect = imaging.defect(frame.payload, frame.format.size) {
      return drop(frame, at: now, time, defect)
    }
    let (taken, photos, resumed) = state.withLock { state -> (TakenFrame, [PhotoTap], String?) in
      let resumed = state.note(frame, at: now)
      let taken = TakenFrame(
        frame: frame, ordinal: state.frames, discontinuity: state.discontinuity, epoch: state.epoch,
        settings: settings, zoom: timeline.digitalZoom(of: settings))
      for output in state.outputs { hand(taken, time, to: output, of: state) }
      return (taken, state.photos.isEmpty ? [] : state.takePhotos(taken, at: now), resumed)
    }
    if let resumed { tell(.resumed, resumed) }
    for photo in photos { photo.succeed(taken) }
    if let software, software.wantsFrames { software.received(frame, takenWith: settings) }
  }

  /// A frame that is not whole: subscribers get it counted as discarded, since the camera did number it.
  private func drop(_ frame: Frame, at now: UInt64, _ time: UInt64, _ defect: String) {
    let text = "a corrupt frame was dropped: \(defect)"
    let resumed = state.withLock { state in
      state.counters.corrupt += 1
      state.counters.lastError = PastError(text)
      for subscription in state.subscriptions { subscription.pass(time) }
      return state.note(frame, at: now)
    }
    if let resumed { tell(.resumed, resumed) }
    tell(.corrupt, text)
  }

  /// The camera's bytes go to everybody whose turn it is; an encode is only worth it when somebody's link can take the result.
  private func hand(
    _ taken: TakenFrame, _ time: UInt64, to output: Output, of state: borrowing State
  ) {
    let taken = output.slot == nil ? taken.asItComes(imaging) : taken
    let isWanted =
      output.slot == nil && taken.zoom.isIdentity
      ? state.subscriptions.contains { $0.plan.delivery == output.delivery && $0.isDue(time) }
      : state.isTaken(by: output, at: time)
    for subscription in state.subscriptions where subscription.plan.delivery == output.delivery {
      if isWanted { subscription.take(taken.ordinal, time) } else { subscription.pass(time) }
    }
    guard isWanted else { return }
    output.take(taken)
  }
}

extension StreamHub.State {
  /// Somebody's link can take a frame of that time, those counted that are on their way to him already: a frame that has to wait in
  /// front of the link is stale when its turn comes.
  fileprivate func isTaken(by output: Output, at time: UInt64) -> Bool {
    let underWay = output.underWay
    return subscriptions.contains {
      $0.plan.delivery == output.delivery && $0.sink.room > underWay && $0.isDue(time)
    }
  }

  /// Counts a frame. Returns a notice where it is the first one after a gap that is not just lost frames.
  fileprivate mutating func note(_ frame: Frame, at now: UInt64) -> String? {
    frames += 1
    meter.tick(now)
    lastFrame = now
    defer { (interruption, reconfiguration) = (nil, nil) }
    if let reconfiguration {
      discontinuity = StreamDiscontinuity(.reconfigured, reason: reconfiguration)
      epoch += 1
      return nil
    }
    if let found = frame.discontinuity ?? interruption.map({ StreamDiscontinuity(.resumed, reason: $0) }) {
      discontinuity = found
      epoch += 1
      return "frames come again: \(found.reason)"
    }
    return nil
  }

  fileprivate mutating func takePhotos(_ taken: TakenFrame, at now: UInt64) -> [PhotoTap] {
    var taking: [PhotoTap] = []
    photos.removeAll { photo in
      guard photo.accepts(taken.frame, takenWith: taken.settings, at: now) else { return false }
      taking.append(photo)
      return true
    }
    return taking
  }
}
