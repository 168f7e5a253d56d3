import CaptureModel
import CaptureSystem

extension StreamHub {
  /// Asked by cameras that render on demand. A frame that nobody takes is counted here.
  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool {
    let now = MonotonicClock.now()
    let (moment, consumers, offered) = state.withLock { state in
      let moment = FrameMoment(
        ordinal: state.frames + 1, epoch: state.epoch, time: timestamp, arrival: now)
      return (moment, state.consumers, state.audience.offered)
    }
    if offered.contains(where: { $0.wants(moment) }) { return true }
    let settings = timeline.frame(sequence, timestamp: timestamp)
    state.withLock { state in
      state.count(at: now)
      state.steadiness.frame(at: timestamp, change: settings?.change)
    }
    for consumer in consumers { consumer.skipped(moment, .unwanted) }
    return false
  }

  func received(_ frame: Frame) {
    let now = MonotonicClock.now()
    let time = frame.timestamp.clock == .monotonic ? frame.timestamp.nanoseconds : now
    let settings = timeline.frame(frame.sequence, timestamp: time, source: frame.timestamp.source)
    let isJPEG = frame.format.pixelFormat.isJPEG
    let defect = isJPEG ? defect(frame.payload, frame.format.size).map(HubCounters.dropped) : nil
    let (moment, discontinuity, resumed, consumers, withheld) = state.withLock { state in
      if let defect { state.counters.dropped(defect) }
      let resumed = state.note(frame, at: now)
      state.steadiness.frame(at: time, change: settings?.change)
      let moment = FrameMoment(ordinal: state.frames, epoch: state.epoch, time: time, arrival: now)
      let (offered, withheld) = state.audience
      return (moment, state.discontinuity, resumed, offered, withheld)
    }
    if defect != nil {
      for consumer in consumers + withheld { consumer.skipped(moment, .corrupt) }
    } else {
      let taken = TakenFrame(
        frame: frame, moment: moment, discontinuity: discontinuity, settings: settings,
        zoom: timeline.digitalZoom(of: settings))
      // The consumer that joined last comes first: it judges a frame by what the others found in the frames before.
      for consumer in consumers.reversed() where consumer.take(taken) == .done { leave(consumer) }
      for consumer in withheld { consumer.skipped(moment, .withheld) }
    }
    if let resumed { report(.resumed, resumed) }
    if let defect { report(.corrupt, defect) }
  }
}

extension StreamHub.State {
  fileprivate mutating func count(at now: UInt64) {
    frames += 1
    meter.tick(now)
    lastFrame = now
  }

  /// Counts a frame. Returns a notice for the first frame after a gap that is more than lost frames.
  fileprivate mutating func note(_ frame: Frame, at now: UInt64) -> String? {
    count(at: now)
    defer { (interruption, reconfiguration) = (nil, nil) }
    if let reconfiguration {
      discontinuity = StreamDiscontinuity(.reconfigured, reason: reconfiguration)
      epoch += 1
      steadiness.disturbed()
      return interruption == nil ? nil : "frames come again: \(reconfiguration)"
    }
    if let found = frame.discontinuity ?? interruption.map({ StreamDiscontinuity(.resumed, reason: $0) }) {
      discontinuity = found
      epoch += 1
      steadiness.disturbed()
      return "frames come again: \(found.reason)"
    }
    return nil
  }
}
