import CaptureModel
import CaptureSystem

/// Takes photos of a moment: now, in the past or in the future.
extension Photos {
  /// Takes the photo of a moment. `next` is ``capture(_:of:on:requested:isBounded:progress:)``.
  ///
  /// Throws `failedPrecondition` if the camera does not stream and the moment is not in the future. Throws `outOfRange` if no frame of the moment is
  /// kept (the error says how far back the kept frames reach), or if the moment is too far ahead. Throws `invalidArgument` if the camera is to settle
  /// before a moment that has passed, or if the request asks for the flash. Throws `resourceExhausted` if too many photos are being taken. A photo
  /// that waits for its moment does not count yet.
  public func capture(
    _ request: PhotoRequest, at time: PhotoTime, of input: PhotoInput? = nil, on device: isolated Device,
    requested: UInt64, progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    if time == .next {
      return try await capture(request, of: input, on: device, requested: requested, progress: progress)
    }
    try request.validate()
    try request.requireStream(for: "when", PhotoTime.field)
    let moment = try moment(of: time, requested: requested)
    try request.frame.requireNoFlash(Self.noFlash)
    try request.frame.requireTimeToSettle(before: moment, now: requested)
    let isToCome = try await waitUntilNear(moment, request)
    try underWay.begin()
    defer { underWay.end() }
    if isToCome || input != nil {
      return try await withStream(for: request, of: input, on: device) {
        request, stream throws(CaptureError) in
        try await photo(request, from: stream, moment, time, requested: requested, progress: progress)
      }
    }
    let stream = try streamOfSubscribers()
    let keeper = StreamKeeper()
    try stream.hub.join(keeper)
    defer {
      stream.hub.leave(keeper)
      // The last subscriber may have left meanwhile. The photo does not wait until the camera has stopped.
      if stream.hub.isIdle { context.tasks.start { await $0.leaveStream() } }
    }
    return try await photo(
      request.seen(through: .identity), from: stream, moment, time, requested: requested, progress: progress)
  }

  /// Throws the error of ``capture(_:at:of:on:requested:progress:)`` if there could be no photo of a moment, but does not wait for the moment.
  func requirePossible(_ request: PhotoRequest, at time: PhotoTime, of input: PhotoInput?)
    throws(CaptureError)
  {
    guard time != .next else { return }
    try request.requireStream(for: "when", PhotoTime.field)
    let now = MonotonicClock.now()
    let moment = try moment(of: time, requested: now)
    try request.frame.requireNoFlash(Self.noFlash)
    try request.frame.requireTimeToSettle(before: moment, now: now)
    if let moment, moment > now { return }
    let stream =
      if let input { try stream(of: input.reservation) } else { try streamOfSubscribers() }
    if let moment, isTooOld(moment, in: stream) { throw noFrame(of: time, recent.reach) }
  }

  private static let noFlash = "a flash lights the next frame, not one of another moment"

  /// The stream that runs for subscribers. Throws `failedPrecondition` if there is none, or if a session has the camera.
  private func streamOfSubscribers() throws(CaptureError) -> ActiveStream {
    try context.stream.requireNoSession(of: context.camera.name)
    _ = try context.camera.required()
    guard let stream = context.stream.active, stream.isForSubscribers, !stream.hub.isIdle else {
      throw CaptureError(
        .failedPrecondition,
        "\(context.camera.name) does not stream, so there is no present or past frame; start a stream first, or ask for the next frame ('next')",
        .init(.notStreaming, field: PhotoTime.field, possible: ["next"]))
    }
    return stream
  }

  // MARK: Moments

  /// The moment on `CLOCK_MONOTONIC` in nanoseconds; `nil`: the newest frame. Throws `outOfRange` for a moment too far ahead.
  private func moment(of wanted: PhotoTime, requested: UInt64) throws(CaptureError) -> UInt64? {
    let moment: UInt64
    switch wanted {
    case .next, .now: return nil
    case .ago(let duration):
      let back = max(duration / .nanoseconds(1), 0)
      moment = back < Double(requested) ? requested - UInt64(back) : 0
    case .node(let time, _): moment = time
    case .utc(let time):
      let now = MonotonicClock.now()
      let offset = time.subtractingReportingOverflow(clock.reading(at: now).nanoseconds)
      guard !offset.overflow else { throw tooFar(time > 0 ? .max : .min, of: wanted) }
      let own = Int64(clamping: now).addingReportingOverflow(offset.partialValue)
      guard !own.overflow else { throw tooFar(offset.partialValue, of: wanted) }
      moment = UInt64(max(own.partialValue, 0))
    }
    let ahead = moment > requested ? moment - requested : 0
    guard ahead <= UInt64(PhotoTime.furthestAhead / .nanoseconds(1)) else {
      throw tooFar(Int64(clamping: ahead), of: wanted)
    }
    return moment
  }

  /// `ahead`: in nanoseconds; negative for a moment before all that the clocks know.
  private func tooFar(_ ahead: Int64, of time: PhotoTime) -> CaptureError {
    let most = PhotoTime.furthestAhead / .seconds(1)
    return CaptureError(
      .outOfRange,
      "a photo can be at most \(most.shortText) s from now, not \((Double(ahead) / 1e9).rounded().shortText) s",
      outOfRange(time))
  }

  /// What was asked for, and which moments are possible now, in the unit of the moment's own field: nanoseconds, of a clock or before the request.
  private func outOfRange(_ time: PhotoTime) -> CaptureError.Details {
    let now = MonotonicClock.now()
    let (back, ahead) = (recent.reach.duration / .nanoseconds(1), PhotoTime.furthestAhead / .nanoseconds(1))
    func details(_ asked: Double, _ range: CaptureError.Details.Range) -> CaptureError.Details {
      .init(.valueOutOfRange, field: time.path, asked: .number(asked), range: range)
    }
    func around(_ present: Double) -> CaptureError.Details.Range { .init(present - back, present + ahead) }
    switch time {
    case .next, .now: return .init(.valueOutOfRange, field: time.path)
    case .ago(let duration): return details(duration / .nanoseconds(1), .init(0, back))
    case .node(let moment, _): return details(Double(moment), around(Double(now)))
    case .utc(let moment):
      return details(Double(moment), around(Double(clock.reading(at: now).nanoseconds)))
    }
  }

  /// Waits until shortly before a moment: a camera takes time to start and to settle. Returns `false` at once if the moment is not in the future.
  private func waitUntilNear(_ moment: UInt64?, _ request: PhotoRequest) async throws(CaptureError) -> Bool {
    let now = MonotonicClock.now()
    guard let moment, moment > now else { return false }
    let lead = (request.frame.settling ?? PhotoSettling.usualBound) + Self.startTime
    let wait = Duration.nanoseconds(moment - now) - lead
    if wait > .zero {
      do { try await Task.sleep(for: wait, clock: .suspending) } catch { throw .callCancelled }
    }
    return true
  }
  /// The longest time that a camera usually takes to start.
  private static let startTime = Duration.seconds(2)

  // MARK: Frames

  private func photo(
    _ request: PhotoRequest, from stream: ActiveStream, _ moment: UInt64?, _ time: PhotoTime,
    requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    try await inputs.requireSignal(for: request.frame)
    activity.begin()
    defer { activity.end() }
    try await announce(request, at: time, in: stream, progress: progress)
    var (candidates, notes) = try await frames(
      nearestTo: moment, settling: request.frame, in: stream, requested: requested, progress: progress)
    var (damaged, last) = (0, CaptureError?.none)
    while damaged < Self.mostDamaged, let frame = try await candidates.next(in: stream.hub, of: self) {
      do throws(CaptureError) {
        let photo = try await photo(of: frame, request, notes, stream, progress: progress)
        return photo.near(frame.taken.nearness(to: moment ?? requested))
      } catch {
        guard error.code == .dataLoss, frame.taken.frame.format.pixelFormat.isJPEG else { throw error }
        (damaged, last) = (damaged + 1, error)
      }
    }
    if let last { throw allDamaged(last, damaged, try photoPlan(request, stream)) }
    throw noFrame(of: time, recent.reach)
  }

  /// The frames of a moment, the nearest first. If one is damaged, the next is used.
  private struct Candidates {
    var first: PhotoFrame?
    /// When the other frames came. They are looked up among the recent frames when they are needed, so that a photo that waits keeps only one frame.
    var arrivals: ArraySlice<UInt64> = []
    /// Whether the stream's next frames are used after these; `false` for a moment that has passed.
    let areMoreToCome: Bool

    mutating func next(in hub: StreamHub, of photos: Photos) async throws(CaptureError) -> PhotoFrame? {
      if let frame = first.take() { return frame }
      while let arrival = arrivals.popFirst() {
        let recent = photos.recent.frames.first { $0.moment.arrival == arrival }
        if let recent { return try photos.underWay.keep(recent, isCopy: true) }
      }
      guard areMoreToCome else { return nil }
      let consumer = PhotoConsumer(FirstFrame(), of: photos.underWay)
      return try await photos.nextFrame(for: consumer, from: hub) {}
    }
  }

  private func candidates(of recent: [TakenFrame], areMoreToCome: Bool) throws(CaptureError) -> Candidates {
    guard let first = recent.first else { return Candidates(areMoreToCome: areMoreToCome) }
    return Candidates(
      first: try underWay.keep(first, isCopy: true),
      arrivals: recent.dropFirst().map(\.moment.arrival)[...], areMoreToCome: areMoreToCome)
  }

  /// Returns the candidates for the photo, and how the camera had settled. `moment`: `nil` for the newest frame.
  private func frames(
    nearestTo moment: UInt64?, settling request: VideoRequest, in stream: ActiveStream, requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> (Candidates, PhotoNotes) {
    var notes = PhotoNotes()
    if let present = try recentFrames(nearestTo: moment, in: stream, requested: requested) {
      progress(.willCapture)
      return (present, notes)
    }
    let nearest = try await nearest(to: moment ?? requested, in: stream.hub) { () throws(CaptureError) in
      // If the stream was started for photos, the camera has to settle first.
      if let moment, !stream.isForSubscribers {
        notes.settling = try await settle(request, stream, before: moment)
      }
      progress(.willCapture)
    }
    return (Candidates(first: nearest, areMoreToCome: true), notes)
  }

  /// The frames of a moment that are there already; `nil`: the moment is to come.
  private func recentFrames(nearestTo moment: UInt64?, in stream: ActiveStream, requested: UInt64)
    throws(CaptureError) -> Candidates?
  {
    let kept = recent.frames
    guard let moment else {
      // If no frame is kept, or the last one is old because nobody wanted frames, the next frame that comes is taken.
      let isNew = kept.last.map {
        requested < $0.moment.arrival + Self.newestPeriod(at: stream.format.interval)
      }
      return try candidates(of: isNew == true ? kept.reversed() : [], areMoreToCome: true)
    }
    if isTooOld(moment, in: stream) { return Candidates(areMoreToCome: false) }
    guard moment <= kept.last?.beginning.time ?? 0 else { return nil }
    let nearest = kept.sorted { $0.distance(to: moment) < $1.distance(to: moment) }
    return try candidates(of: nearest, areMoreToCome: false)
  }

  /// Whether a moment is before every kept frame. If none is kept: whether the moment has passed.
  private func isTooOld(_ moment: UInt64, in stream: ActiveStream) -> Bool {
    let oldest = recent.frames.first?.beginning.time ?? MonotonicClock.now()
    return moment + Self.newestPeriod(at: stream.format.interval) < oldest
  }

  /// For how long a frame counts as the newest after it came: two intervals, in nanoseconds.
  private static func newestPeriod(at interval: FrameInterval?) -> UInt64 {
    2 * (interval ?? .usual).nanoseconds
  }

  /// Calls `prepare`, and then waits for the frame nearest to a moment. The consumer gets frames even while `prepare` runs: the moment may come
  /// meanwhile.
  private func nearest(
    to moment: UInt64, in hub: StreamHub, preparing prepare: () async throws(CaptureError) -> Void
  ) async throws(CaptureError) -> PhotoFrame {
    let consumer = try consumer(nearestTo: moment)
    try hub.join(consumer)
    defer { hub.leave(consumer) }
    try await prepare()
    let now = MonotonicClock.now()
    let left = Duration.nanoseconds(moment > now ? moment - now : 0)
    return try await awaitFrame("at that moment", of: hub, andFor: left, orFail: consumer.fail) {
      () throws(CaptureError) in try await consumer.wait()
    }
  }

  /// A consumer that waits for the frame nearest to a moment. Its best frame so far is the latest of the recent frames.
  private func consumer(nearestTo moment: UInt64) throws(CaptureError) -> PhotoConsumer {
    let latest = try recent.frames.last.map { taken throws(CaptureError) in
      try underWay.keep(taken, isCopy: true)
    }
    return PhotoConsumer(NearestFrame(time: moment), best: latest, of: underWay)
  }

  private func noFrame(of time: PhotoTime, _ reach: RecentReach) -> CaptureError {
    let seconds = (reach.duration / .seconds(1) * 100).rounded() / 100
    let kept =
      reach.frames == 0
      ? "no frame is kept (\(NodeLimit.recentFrameBytesPerCamera.rawValue) is \(reach.bound) bytes)"
      : "the \(reach.frames) frames that are kept reach \(seconds) s back"
    var details = outOfRange(time)
    details.limit = NodeLimit.recentFrameBytesPerCamera.rawValue
    details.bound = UInt64(reach.bound)
    return CaptureError(
      .outOfRange, "there is no frame of that moment of \(context.camera.name): \(kept)", details)
  }
}

extension VideoRequest {
  /// Throws `invalidArgument` if the request asks the camera to settle before a moment that has passed. `moment`: `nil` for the newest frame.
  fileprivate func requireTimeToSettle(before moment: UInt64?, now: UInt64) throws(CaptureError) {
    guard let settling, settling > .zero, moment ?? now <= now else { return }
    throw CaptureError(
      .invalidArgument,
      "the frame of a present or past moment is there already, so nothing can settle before it; leave out settle or when",
      .init(.fieldsExclusive, field: "settings.settle"))
  }
}
