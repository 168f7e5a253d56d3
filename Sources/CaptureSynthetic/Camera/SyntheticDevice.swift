import CaptureModel
import CaptureSystem
import Synchronization

/// The parts that every synthetic camera has besides its controls: an identity, formats, one stream, faults on demand.
final class SyntheticDevice: Sendable {
  let description: CameraDescription
  let spec: SyntheticSpec
  let state = SyntheticState()
  private let stream = Mutex<SyntheticStream?>(nil)
  private let unplugged: @Sendable (Duration) -> Void

  /// `unplugged` is called when a fault unplugs the camera, with the time for which the camera stays away.
  init(
    _ spec: SyntheticSpec, _ description: CameraDescription, unplugged: @escaping @Sendable (Duration) -> Void
  ) {
    self.spec = spec
    self.description = description
    self.unplugged = unplugged
  }

  var counters: CameraCounters {
    state.withLock { values in
      var counters = values.counters
      counters.buffers = values.buffers?.count ?? 0
      counters.buffersLent = counters.buffers - (values.buffers?.freeCount ?? 0)
      return counters
    }
  }

  /// Starts the stream. `source` makes the object that paints the pictures, on the stream's capture thread.
  func startStreaming(
    _ request: StreamRequest, into receiver: any FrameReceiver,
    timestamps: FrameTimestamp.Source = .endOfFrame,
    source: @escaping @Sendable (StreamFormat, FrameSchedule) -> any PictureSource
  ) async throws(CaptureError) -> StreamFormat {
    let option = try option(request.pixelFormat, request.size)
    let interval = request.interval ?? spec.interval
    if case .range(let minimum, let maximum, _) = option.intervals, interval < minimum || maximum < interval {
      throw CaptureError(
        .invalidArgument, "\(description.id) cannot give \(interval); it gives \(maximum) to \(minimum)",
        .init(
          .valueOutOfRange, field: "rate", asked: .number(interval.rate),
          range: .init(maximum.rate, minimum.rate)))
    }
    let format = spec.streamFormat(request, interval: interval)
    let new: SyntheticStream
    do throws(Errno) {
      new = try SyntheticStream(
        format: format, interval: interval, timestamps: timestamps, state: state, receiver: receiver,
        source: source)
    } catch {
      throw exhausted(error)
    }
    let isFirst = stream.withLock { stream in
      if stream != nil { return false }
      stream = new
      return true
    }
    guard isFirst else {
      throw CaptureError(.failedPrecondition, "\(description.id) streams already", .init(.heldByStream))
    }
    do throws(Errno) {
      try await new.start()
    } catch {
      stream.withLock { if $0 === new { $0 = nil } }
      throw exhausted(error)
    }
    return format
  }

  private func exhausted(_ error: Errno) -> CaptureError {
    CaptureError(
      .resourceExhausted,
      "\(description.id) cannot stream: \(error); close connections to the node, or allow it more open files",
      cause: error, .init(.noMemory))
  }

  func stopStreaming() async {
    let running = stream.withLock { $0.take() }
    await running?.stop()
  }

  /// Makes the camera fail.
  func inject(_ fault: SyntheticFault) async {
    switch fault {
    case .stall(let duration):
      let end = MonotonicClock.now() + duration.nanoseconds
      state.withLock { $0.faults.stalledUntil = end }
    case .flaggedFrames(let count): state.withLock { $0.faults.flagged = count }
    case .lostFrames(let count): state.withLock { $0.faults.lost = count }
    case .corruptFrames(let count): state.withLock { $0.faults.corrupt = count }
    case .truncatedFrames(let count): state.withLock { $0.faults.truncated = count }
    case .slowControls(let duration): state.withLock { $0.controlDelay = duration }
    case .unplug(let duration):
      if duration > .zero { await unplug(for: duration) }
    }
  }

  /// The beginning of every control call. It takes as long as a slow transfer (``SyntheticFault/slowControls(_:)``), and then waits as long as
  /// `pacing` says. Throws if the caller no longer waits, or if the camera is unplugged.
  func transferControls(_ pacing: FramePacing? = nil) async throws(CaptureError) {
    await transferSlowly()
    let wait = pacing?.wait(at: MonotonicClock.now()) ?? 0
    if wait > 0 { try? await Task.sleep(nanoseconds: wait) }
    try CaptureError.checkCancellation()
    try checkPlugged()
  }

  /// Takes the time of a slow transfer. When the fault ends, so does a transfer that is under way.
  private func transferSlowly() async {
    let start = ContinuousClock.now
    while true {
      let rest = state.withLock { $0.controlDelay } - (ContinuousClock.now - start)
      guard rest > .zero else { return }
      do { try await Task.sleep(for: min(rest, .milliseconds(20))) } catch { return }
    }
  }

  func option(_ pixelFormat: PixelFormat, _ size: FrameSize) throws(CaptureError) -> SizeOption {
    try checkPlugged()
    let formats = spec.formats
    guard let format = formats.first(where: { $0.pixelFormat == pixelFormat }) else {
      let names = formats.map { "\($0.pixelFormat)" }.joined(separator: ", ")
      throw CaptureError(
        .invalidArgument, "\(description.id) offers no \(pixelFormat); it offers \(names)",
        .init(
          .valueNotPossible, field: "pixel_format", asked: .text("\(pixelFormat)"),
          possible: formats.map { "\($0.pixelFormat)" }))
    }
    guard let option = format.sizes.first(where: { $0.contains(size) }) else {
      let sizes = format.sizes.map { "\($0.minimum)" }.joined(separator: ", ")
      throw CaptureError(
        .invalidArgument, "\(description.id) offers no \(size) \(pixelFormat); it offers \(sizes)",
        .init(
          .valueNotPossible, field: "size", asked: .text("\(size)"),
          possible: format.sizes.map { "\($0.minimum)" }))
    }
    return option
  }

  func checkPlugged() throws(CaptureError) {
    if state.withLock({ $0.isUnplugged }) { throw gone }
  }

  private var gone: CaptureError {
    CaptureError(.unavailable, "\(description.id) was unplugged", .init(.cameraUnplugged))
  }

  /// Unplugs the camera for good: a new object takes its place.
  private func unplug(for duration: Duration) async {
    state.withLock { $0.isUnplugged = true }
    let running = stream.withLock { $0.take() }
    await running?.stop(telling: gone)
    unplugged(duration)
  }
}

extension Duration {
  fileprivate var nanoseconds: UInt64 {
    UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
  }
}
