import CaptureImaging
import CaptureLoop
import CaptureModel
import CaptureSystem

/// The stream of a synthetic camera. It delivers each frame when it is due, on a capture thread of its own.
actor SyntheticStream {
  nonisolated let format: StreamFormat
  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.serial.asUnownedSerialExecutor() }

  private let state: SyntheticState
  private let receiver: any FrameReceiver
  private let timestamps: FrameTimestamp.Source
  private var ticker: LoopTicker?
  private let makeSource: @Sendable (StreamFormat, FrameSchedule) -> any PictureSource
  private var source: (any PictureSource)?
  private var schedule: FrameSchedule
  private var next: UInt64 = 0
  /// The frame for which the ticker was started.
  private var armedFor: UInt64 = 0
  /// How late the ticker may become before it is started again, in nanoseconds.
  private static let mostDrift: UInt64 = 20_000
  private var stall = StallWatch()
  private var isOver = false

  /// `source` is called once, on the capture thread. Throws when the process has no descriptors left.
  init(
    format: StreamFormat, interval: FrameInterval, timestamps: FrameTimestamp.Source, state: SyntheticState,
    receiver: any FrameReceiver,
    source: @escaping @Sendable (StreamFormat, FrameSchedule) -> any PictureSource
  ) throws(Errno) {
    loop = try EventLoop(label: "synthetic.capture")
    self.format = format
    self.timestamps = timestamps
    self.state = state
    self.receiver = receiver
    makeSource = source
    schedule = FrameSchedule(start: 0, interval: interval)
  }

  /// Starts the stream. Frame 0 comes an interval later, as from a sensor; the scene is painted meanwhile. If that takes longer,
  /// ``PictureSource/startsWhenReady`` says whether the frame waits. If this throws, the stream is over.
  func start() throws(Errno) {
    guard !isOver else { return }
    do throws(Errno) {
      ticker = try LoopTicker(loop) { [weak self] in self?.assumeIsolated { $0.deliverDueFrames() } }
    } catch {
      isOver = true
      throw error
    }
    let interval = schedule.interval
    schedule = FrameSchedule(start: MonotonicClock.now() + interval.nanoseconds, interval: interval)
    let source = makeSource(format, schedule)
    self.source = source
    if source.startsWhenReady {
      schedule = FrameSchedule(start: max(schedule.start, MonotonicClock.now()), interval: interval)
    }
    let buffers = source.buffers
    state.withLock { $0.buffers = buffers }
    stall.lastFrame = schedule.start
    arm()
  }

  /// Ends the stream. `error`: the error for the receiver; `nil` when the receiver itself asked for the end.
  func stop(telling error: CaptureError? = nil) {
    guard !isOver else { return }
    isOver = true
    ticker?.cancel()
    ticker = nil
    source = nil
    state.withLock { $0.buffers = nil }
    if let error { receiver.streamEvent(.ended(error)) }
  }

  /// Starts the ticker for the next frame. Its period is rounded up to whole nanoseconds, so that no tick comes before its frame is due. Once this
  /// has made the ticker late by more than ``mostDrift``, it is started again.
  private func arm() {
    armedFor = next
    ticker?.start(at: schedule.due(next), period: period)
  }

  private var period: UInt64 { schedule.due(1) - schedule.due(0) + 1 }

  private var isAdrift: Bool {
    let tick = schedule.due(armedFor) + (next - armedFor) * period
    return tick - schedule.due(next) > Self.mostDrift
  }

  private func deliverDueFrames() {
    let now = MonotonicClock.now()
    let last = schedule.last(at: now)
    if last > next + UInt64(RawRenderer.bufferCount) {
      // This thread had no turn for longer than a driver's buffers last, so the frames in between are lost.
      state.count(\.lost, last - next)
      next = last
    }
    while !isOver, next <= last, schedule.due(next) <= now {
      deliver(next, now: now)
      next += 1
    }
    if !isOver, isAdrift { arm() }
  }

  private func deliver(_ sequence: UInt64, now: UInt64) {
    let timestamp = timestamps == .endOfFrame ? schedule.due(sequence) : schedule.begin(sequence)
    switch state.withLock({ $0.faults.next(at: now) }) {
    case .stalled:
      state.count(\.lost)
      if stall.takeReport(at: now, interval: format.interval) {
        receiver.streamEvent(.interrupted(reason: "the camera gives no frames"))
      }
      return
    case .lost: return state.count(\.lost)
    case .flagged: return state.count(\.flagged)
    case nil: break
    }
    stall.lastFrame = schedule.due(sequence)
    guard receiver.wantsFrame(sequence: sequence, timestamp: timestamp) else { return }
    guard let payload = picture(sequence) else { return state.count(\.lost) }
    let discontinuity = stall.takeDiscontinuity()
    if discontinuity != nil { state.count(\.restarts) }
    state.count(\.frames)
    // The event comes before the frame: receivers give up older frames for it, and must not give up this one.
    if let buffers = source?.buffers, buffers.freeCount < 2 { receiver.streamEvent(.buffersLow) }
    receiver.received(
      Frame(
        payload: payload, format: format, sequence: sequence,
        timestamp: FrameTimestamp(nanoseconds: timestamp, clock: .monotonic, source: timestamps),
        discontinuity: discontinuity))
  }

  /// The frame's bytes, damaged if a fault asks for that. `nil`: no buffer is free, or the picture cannot be encoded.
  private func picture(_ sequence: UInt64) -> Payload? {
    guard let source else { return nil }
    guard let payload = source.picture(sequence, schedule: schedule) else {
      if source.buffers != nil { receiver.streamEvent(.buffersLow) }
      return nil
    }
    return state.withLock { $0.faults.damage(isJPEG: format.pixelFormat.isJPEG) }?.applied(to: payload)
      ?? payload
  }
}
