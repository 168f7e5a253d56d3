import CaptureImaging
import CaptureModel
import CaptureSystem
import Dispatch

/// A synthetic camera streaming: delivers each frame when it is due, on a capture queue of its own.
actor SyntheticStream {
  private enum Source {
    case raw(RawRenderer)
    case ring(JPEGRing)
  }

  nonisolated let format: StreamFormat
  private nonisolated let executor = QueueExecutor(label: "synthetic.capture", threads: .own)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let state: SyntheticState
  private let receiver: any FrameReceiver
  private var timer: (any DispatchSourceTimer)?
  private var source: Source?
  private var schedule: FrameSchedule
  private var next: UInt64 = 0
  private var stall = StallWatch()
  private var isOver = false

  init(format: StreamFormat, interval: FrameInterval, state: SyntheticState, receiver: any FrameReceiver) {
    self.format = format
    self.state = state
    self.receiver = receiver
    schedule = FrameSchedule(start: 0, interval: interval)
  }

  /// Begins: as with a sensor, frame 0 is there an interval later. The scene is painted meanwhile.
  func start() {
    guard !isOver else { return }
    let (size, interval) = (format.size, schedule.interval)
    schedule = FrameSchedule(start: MonotonicClock.now() + interval.nanoseconds, interval: interval)
    let scene = Scene(size: size, caption: "SYNTHETIC \(size) \(interval)".uppercased())
    let tone = state.withLock { $0.controls.tone }
    if let layout = RawLayout(format.pixelFormat) {
      let renderer = RawRenderer(layout, scene: scene, tone: tone)
      let buffers = renderer.buffers
      state.withLock { $0.buffers = buffers }
      source = .raw(renderer)
    } else {
      source = .ring(JPEGRing(scene: scene, tone: tone))
    }
    let timer = DispatchSource.makeTimerSource(flags: .strict, queue: executor.queue)
    self.timer = timer
    timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.deliverDueFrames() } }
    stall.lastFrame = schedule.start
    arm()
    timer.resume()
  }

  /// Ends it. `error`: what the receiver is told; `nil` when it asked for the end itself.
  func stop(telling error: CaptureError? = nil) {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    source = nil
    state.withLock { $0.buffers = nil }
    if let error { receiver.streamEvent(.ended(error)) }
  }

  private func arm() {
    timer?.schedule(deadline: DispatchTime(uptimeNanoseconds: schedule.due(next)), leeway: .nanoseconds(0))
  }

  private func deliverDueFrames() {
    let now = MonotonicClock.now()
    let last = schedule.last(at: now)
    if last > next + UInt64(RawRenderer.bufferCount) {
      // This queue had no turn for as long as a driver's buffers last.
      state.count(\.lost, last - next)
      next = last
    }
    while !isOver, next <= last, schedule.due(next) <= now {
      deliver(next, now: now, isLate: next < last)
      next += 1
    }
    if !isOver { arm() }
  }

  private func deliver(_ sequence: UInt64, now: UInt64, isLate: Bool) {
    let timestamp = schedule.due(sequence)
    switch state.withLock({ $0.faults.next(at: now) }) {
    case .stalled:
      state.count(\.lost)
      if stall.isReported(at: now, interval: format.interval) {
        receiver.streamEvent(.interrupted(reason: "the camera gives no frames"))
      }
      return
    case .lost: return state.count(\.lost)
    case .flagged: return state.count(\.flagged)
    case nil: break
    }
    stall.lastFrame = timestamp
    guard receiver.wantsFrame(sequence: sequence, timestamp: timestamp) else { return }
    guard let payload = picture(sequence, timestamp, isLate: isLate) else { return state.count(\.lost) }
    let discontinuity = stall.takeDiscontinuity()
    if discontinuity != nil { state.count(\.restarts) }
    state.count(\.frames)
    // Before the frame, which is not the one to be given up.
    if case .raw(let renderer) = source, renderer.buffers.freeCount < 2 { receiver.streamEvent(.buffersLow) }
    receiver.received(
      Frame(
        payload: payload, format: format, sequence: sequence,
        timestamp: FrameTimestamp(nanoseconds: timestamp, clock: .monotonic, source: .endOfFrame),
        discontinuity: discontinuity))
  }

  /// The frame's bytes, damaged if a fault says so. `nil`: no buffer is free, or the picture cannot be encoded.
  private func picture(_ sequence: UInt64, _ timestamp: UInt64, isLate: Bool) -> Payload? {
    // As a sensor does, a frame keeps the settings that its exposure began with.
    let start = timestamp - min(timestamp, schedule.interval.nanoseconds)
    let tone = state.withLock { $0.tones.tone(at: start) }
    let payload: Payload?
    switch source {
    case .raw(let renderer):
      payload = renderer.render(Moment(sequence: sequence, timestamp: timestamp), tone: tone)
      if payload == nil { receiver.streamEvent(.buffersLow) }
    case .ring(let ring): payload = try? ring.picture(sequence, tone: tone, isLate: isLate)
    case nil: payload = nil
    }
    guard let payload else { return nil }
    return state.withLock { $0.faults.damage(isJPEG: format.pixelFormat.isJPEG) }?.applied(to: payload)
      ?? payload
  }
}

/// When a silence of the camera is told, and that it is over.
private struct StallWatch {
  var lastFrame: UInt64 = 0
  private var wasReported = false

  /// Once a stall: after a second, or three frames of a slower stream.
  mutating func isReported(at now: UInt64, interval: FrameInterval?) -> Bool {
    let patience = max(1_000_000_000, 3 * (interval?.nanoseconds ?? 0))
    guard !wasReported, now >= lastFrame + patience else { return false }
    wasReported = true
    return true
  }

  /// What the first frame after a reported stall says.
  mutating func takeDiscontinuity() -> StreamDiscontinuity? {
    guard wasReported else { return nil }
    wasReported = false
    return StreamDiscontinuity(.resumed, reason: "the camera gave no frames for a while")
  }
}
