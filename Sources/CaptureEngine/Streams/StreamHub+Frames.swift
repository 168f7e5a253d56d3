import CaptureModel
import CaptureSystem

extension StreamHub {
  /// Whether a consumer wants the next frame. Cameras that make frames on demand ask this. If no consumer wants the frame, the camera does not make
  /// it, and it is counted here.
  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool {
    guard end == nil else { return false }
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
      state.steadiness.noteFrame(at: timestamp, change: settings?.change)
    }
    for consumer in consumers { consumer.skipped(moment, .unwanted) }
    return false
  }

  func received(_ frame: Frame) {
    // The timeline may be that of the next stream by now.
    guard end == nil else { return }
    let now = MonotonicClock.now()
    let timestamp = frame.timestamp.monotonic(arrival: now)
    let time = timestamp.nanoseconds
    let settings = timeline.frame(frame.sequence, timestamp: time, source: timestamp.source)
    let isJPEG = frame.format.pixelFormat.isJPEG
    let damage = isJPEG ? defect(frame.payload, frame.format.size).map(HubCounters.textOfDrop) : nil
    let arrival = state.withLock { state in
      if let damage { state.counters.countDrop(damage) }
      let resumed = state.note(frame, at: now)
      state.steadiness.noteFrame(at: time, change: settings?.change)
      let moment = FrameMoment(ordinal: state.frames, epoch: state.epoch, time: time, arrival: now)
      let (offered, withheld) = state.audience
      return Arrival(
        moment: moment, discontinuity: state.discontinuity, noSignal: state.noSignal, resumed: resumed,
        consumers: offered, withheld: withheld)
    }
    if damage != nil {
      for consumer in arrival.consumers + arrival.withheld { consumer.skipped(arrival.moment, .corrupt) }
    } else {
      let taken = TakenFrame(
        frame: frame, moment: arrival.moment, discontinuity: arrival.discontinuity, settings: settings,
        zoom: timeline.digitalZoom(of: settings), noSignal: arrival.noSignal)
      // The newest consumer gets the frame first, before the others have judged it.
      var hasLeft = false
      for consumer in arrival.consumers.reversed() where consumer.take(taken) == .done {
        leave(consumer)
        hasLeft = true
      }
      if hasLeft, isIdle { becameIdle() }
      for consumer in arrival.withheld { consumer.skipped(arrival.moment, .withheld) }
    }
    if let resumed = arrival.resumed { report(.resumed, resumed) }
    if let damage { report(.corrupt, damage) }
  }
}

/// A frame's place in the stream, and the consumers that were there when it came.
private struct Arrival {
  var moment: FrameMoment
  var discontinuity: StreamDiscontinuity?
  /// Why the frame shows nothing; `nil`: it shows a picture.
  var noSignal: String?
  /// The text of a notice that frames come again with this one; `nil`: they had not been interrupted.
  var resumed: String?
  /// The consumers to which the frame is offered.
  var consumers: [any FrameConsumer]
  /// The consumers from which the frame is withheld.
  var withheld: [any FrameConsumer]
}

extension StreamHub.State {
  fileprivate mutating func count(at now: UInt64) {
    frames += 1
    meter.tick(now)
    lastFrame = now
  }

  /// Counts a frame. Returns the text of a notice for the first frame after an interruption or a restart.
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
