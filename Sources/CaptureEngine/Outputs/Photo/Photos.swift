import CaptureImaging
import CaptureModel
import CaptureSystem

/// The progress of a photo.
public enum PhotoProgress: Sendable {
  /// How the photo will be taken and made. This comes again if the camera's source changes meanwhile.
  case willBegin(ResolvedPhoto)
  /// The camera runs and has settled: the next frame may be the photo.
  case willCapture
  /// The frame was taken.
  case didCapture(PictureDescription)
  /// A small JPEG of the photo, before the photo itself.
  case preview(Picture)
}

/// Takes a device's photos, and lights them.
public final class Photos {
  let context: DeviceContext
  let settings: DeviceSettings
  let frameDuration: FrameDurationBounds
  let inputs: DeviceInputs
  let workers: EncoderWorkers
  let formatSwitch: FormatSwitch
  let largerStream: LargerStream
  let underWay: PhotosUnderWay
  let recent: RecentFrames
  let clock = UTCClock()
  /// What the metadata of photos says besides the facts of their frames: names, a place, a lens.
  private(set) var origin = PhotoOrigin()
  let activity: PhotoActivity
  let meter = PhotoMeter()
  /// The workers for the formats that only libv4lconvert reads: one thread for all photos of the camera.
  private lazy var libraryWorkers = workers.separateThread()

  /// How long a photo waits for its frame at most. The call may have an earlier deadline.
  static let photoPatience = Duration.seconds(8)
  /// A photo fails after this many frames in a row that are damaged inside.
  static let mostDamaged = 20

  init(
    _ context: DeviceContext, _ settings: DeviceSettings, _ frameDuration: FrameDurationBounds,
    _ inputs: DeviceInputs, workers: EncoderWorkers, limits: NodeLimits, activity: PhotoActivity
  ) {
    (self.frameDuration, self.activity) = (frameDuration, activity)
    underWay = PhotosUnderWay(of: context.camera.name, limits)
    recent = RecentFrames(bound: limits[.recentFrameBytesPerCamera])
    (self.context, self.settings, self.inputs, self.workers) = (context, settings, inputs, workers)
    formatSwitch = FormatSwitch(context, settings)
    largerStream = LargerStream(context, settings, frameDuration, formatSwitch)
    context.onlookers.add { [recent] use in
      recent.makeOnlooker(for: use)
    } describe: { [recent] description in
      description.recentFrames = recent.reach
    }
  }

  func setOrigin(_ origin: PhotoOrigin) { self.origin = origin }

  /// Takes one photo: a frame whose exposure began at `requested` (`CLOCK_MONOTONIC` nanoseconds) or later. `input`: the camera of a session's photo
  /// output; `nil`: no session has the camera.
  ///
  /// A camera that streams keeps its format, unless the request asks for full size (``FullSize``). An idle camera is started at the requested size,
  /// or else at its driver's size or its largest (``SizeOption/openSizes``), and is stopped afterwards. Clients that subscribe meanwhile join that
  /// stream, and keep it running. `progress` must not wait: the camera is kept meanwhile. `isBounded`: whether the photo is refused if too many are
  /// being taken.
  ///
  /// Throws as ``Device/subscribe(_:sink:holder:)`` does, `unavailable` when the camera gives no frame, `dataLoss` when all its frames are damaged,
  /// `failedPrecondition` for a session that does not run, the reason of its interruption for a session that is interrupted, and `resourceExhausted`
  /// if too many photos are being taken.
  public func capture(
    _ request: PhotoRequest, of input: PhotoInput? = nil, on device: isolated Device, requested: UInt64,
    isBounded: Bool = true, progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    try underWay.begin(isBounded: isBounded)
    defer { underWay.end() }
    return try await withStream(for: request, of: input, on: device) { request, stream throws(CaptureError) in
      if let other = try await formatToSwitch(to: request, from: stream) {
        return try await takePhoto(request, switchingTo: other, from: stream, on: device, progress: progress)
      }
      return try await enlarging(stream, for: request, on: device) { stream throws(CaptureError) in
        try await takePhoto(request, from: stream, requested: requested, progress: progress)
      }
    }
  }

  /// Calls `body` with the request as seen through the input, and with the stream of the input's session. Without an input `body` gets the running
  /// stream, or one that is started for the request. The stream keeps running meanwhile.
  func withStream<Value>(
    for request: PhotoRequest, of input: PhotoInput?, on device: isolated Device,
    _ body: (PhotoRequest, ActiveStream) async throws(CaptureError) -> Value
  ) async throws(CaptureError) -> Value {
    try request.validate()
    let request = request.seen(through: input?.transform ?? .identity)
    if let input { return try await body(request, stream(of: input.reservation)) }
    try await context.gates.photo.enter()
    var holdsGate = true
    defer { if holdsGate { context.gates.photo.leave() } }
    let keeper = StreamKeeper()
    let stream = try await stream(for: request, keeper, on: device)
    if stream.isForSubscribers {
      // Other photos may be taken beside this one.
      context.gates.photo.leave()
      holdsGate = false
    }
    // Subscribers come and go meanwhile. When the last of them has left, the photo keeps the stream.
    let value: Result<Value, CaptureError>
    do throws(CaptureError) {
      value = .success(try await body(request, stream))
    } catch {
      value = .failure(error)
    }
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    stream.hub.leave(keeper)
    await device.stopIfIdle()
    if holdsGate, context.stream.isActive(stream) {
      device.temporaryStreams.scheduleContinuing()
    }
    return try value.get()
  }

  /// Returns the request by which an idle camera is started. For a DNG the camera runs in its Bayer format with
  /// the most bits.
  func requestForIdle(_ request: PhotoRequest) async throws(CaptureError) -> VideoRequest {
    let leading = request.leading
    var start = leading.picture
    (start.settling, start.flash) = (request.frame.settling, request.frame.flash)
    guard leading.type == .dng else { return start }
    start.transform = .identity
    let formats = try await context.camera.formats()
    let bayer = formats.filter { DNGFile.canWrite($0.pixelFormat) && !$0.isEmulated }
    let names = bayer.map { "\($0.pixelFormat)" }
    guard
      let deepest = bayer.max(by: { DNGFile.bits(of: $0.pixelFormat)! < DNGFile.bits(of: $1.pixelFormat)! })
    else {
      let offered = formats.map { "\($0.pixelFormat)" }.joined(separator: ", ")
      throw noDNG(
        "\(context.camera.name) gives no Bayer frames, which a DNG needs; it offers: \(offered); take 'raw', 'png' or 'jpeg'",
        field: "settings.formats", possible: ["jpeg", "png", "raw"])
    }
    if let asked = start.pixelFormat, !bayer.contains(where: { $0.pixelFormat == asked }) {
      throw noDNG(
        "a DNG needs a Bayer format, which \(asked) is not; \(context.camera.name) has: \(names.joined(separator: ", "))",
        field: "source_pixel_format", possible: names)
    }
    start.pixelFormat = start.pixelFormat ?? deepest.pixelFormat
    return start
  }

  private func noDNG(_ text: String, field: String, possible: [String]) -> CaptureError {
    CaptureError(
      .invalidArgument, text,
      .init(
        .valueNotPossible, field: field, asked: .text("dng"), possible: possible,
        device: context.camera.id.rawValue))
  }

  /// Returns the running stream, or starts one. `keeper` keeps it running.
  private func stream(
    for request: PhotoRequest, _ keeper: StreamKeeper, on device: isolated Device
  ) async throws(CaptureError) -> ActiveStream {
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    try context.stream.requireNoSession(of: context.camera.name)
    // Subscribers may have joined the previous photo's stream, which has that photo's size. First it continues in the form for which they asked.
    if request.fullSize == .big { await device.temporaryStreams.continueForSubscribers(on: device) }
    if let running = context.stream.active, !running.hub.isIdle {
      _ = try context.camera.required()
      try running.hub.join(keeper)
      return running
    }
    await device.stopIfIdle()
    let idle = try await requestForIdle(request)
    let isForAutomation = idle.settling != .zero && settings.isNodeAutomatic
    let stream = try await device.start(
      idle, .photo, for: StreamUse(temporary: "photo", isForAutomation: isForAutomation))
    do throws(CaptureError) {
      try stream.hub.join(keeper)
    } catch {
      await device.stopIfIdle()
      throw error
    }
    return stream
  }

  /// The stream of a session. Throws as ``CurrentCamera/required(isCleaningUp:)`` does, `failedPrecondition` if the session does not run, `aborted`
  /// if the session does not have the camera any more, and the reason of its interruption if the session is interrupted.
  func stream(of owner: CameraReservation) throws(CaptureError) -> ActiveStream {
    try context.stream.requireReservation(owner, of: context.camera)
    _ = try context.camera.required()
    if let stream = context.stream.active { return stream }
    throw owner.interruption(of: context.camera)
      ?? CaptureError(
        .failedPrecondition, "the session '\(owner.session)' does not run; start it to take photos",
        .init(.notStreaming, holder: owner.session))
  }

  /// Takes a photo from a running stream: a frame whose exposure began at `requested` (`CLOCK_MONOTONIC` nanoseconds) or later.
  ///
  /// It waits while an automatic mode searches for focus, exposure or white balance, as long as the request allows.
  private func takePhoto(
    _ request: PhotoRequest, from stream: ActiveStream, requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    let frame = request.frame
    try await inputs.requireSignal(for: frame)
    activity.begin()
    defer { activity.end() }
    var stream = stream
    var plan = try photoPlan(request, stream)
    var damaged = 0
    var notes = PhotoNotes()
    progress(.willBegin(plan.resolved(frame, flash: try await resolvedFlash(frame.flash))))
    notes.settling = try await settle(frame, stream)
    while true {
      let chosen: PhotoFrame
      (chosen, notes.flash) = try await photoFrame(from: stream, requested: requested, flash: frame.flash) {
        if damaged == 0 { progress(.willCapture) }
      }
      let format = chosen.taken.frame.format
      if format.size != stream.format.size || format.pixelFormat != stream.format.pixelFormat {
        // The source has changed while the photo waited.
        stream.format = format
        plan = try photoPlan(request, stream)
        progress(.willBegin(plan.resolved(frame, flash: try await resolvedFlash(frame.flash))))
      }
      do throws(CaptureError) {
        return Photo(
          files: try await files(of: chosen, plan, notes, frame, for: stream.hub, progress: progress))
      } catch {
        guard error.code == .dataLoss, format.pixelFormat.isJPEG else { throw error }
        damaged += 1
        if damaged == Self.mostDamaged { throw allDamaged(error, damaged, plan) }
      }
    }
  }

  func photoPlan(_ request: PhotoRequest, _ stream: ActiveStream) throws(CaptureError) -> PhotoPlan {
    try PhotoPlan(request, in: frameDuration.runningStream(of: stream))
  }

  /// The error of a photo that got only damaged frames. `count`: how many.
  func allDamaged(_ last: CaptureError, _ count: Int, _ plan: PhotoPlan) -> CaptureError {
    let isUntouched = plan.files.contains { if case .untouched = $0.work { true } else { false } }
    let instead = isUntouched ? ", or take the photo as it comes (unchecked)" : ""
    let name = context.camera.name
    let what =
      count == 1 ? "the one frame of \(name) was" : "\(count) frames of \(name) one after the other were"
    return CaptureError(
      .dataLoss,
      "\(what) damaged inside (the last: \(last.message)); "
        + "look to its cable, hub and bandwidth, choose a smaller size\(instead)",
      .init(.damagedPicture))
  }

  /// Adds a consumer to the stream, and waits for its frame. `waiting` is called once the consumer has joined.
  func nextFrame(
    for consumer: PhotoConsumer, from hub: StreamHub, waiting: () -> Void
  ) async throws(CaptureError) -> PhotoFrame {
    try hub.join(consumer)
    waiting()
    return try await nextFrame(ofJoined: consumer, in: hub)
  }

  /// Waits for the frame of a consumer that has joined the stream, and removes the consumer.
  func nextFrame(ofJoined consumer: PhotoConsumer, in hub: StreamHub) async throws(CaptureError) -> PhotoFrame
  {
    defer { hub.leave(consumer) }
    let what = "for a photo within \(Self.photoPatience.components.seconds) s"
    let frame = try await awaitFrame(what, of: hub, orFail: consumer.fail) { () throws(CaptureError) in
      try await consumer.wait()
    }
    // If the frame came before the wait began, the wait returns the frame even in a cancelled task.
    try CaptureError.checkCancellation()
    return frame
  }

  /// Runs `body`, which waits for a frame of a stream. If no frame has come after the photo's patience plus `more`, this calls `fail` with the error,
  /// which `body` then throws. `what` follows "gave no frame" in the error's message, such as "for a photo".
  func awaitFrame(
    _ what: String, of hub: StreamHub, andFor more: Duration = .zero,
    orFail fail: @escaping @Sendable (CaptureError) -> Void,
    _ body: () async throws(CaptureError) -> PhotoFrame
  ) async throws(CaptureError) -> PhotoFrame {
    let (id, name, corrupt) = (context.camera.id, context.camera.name, hub.counters.corrupt)
    let expire = { @Sendable in
      let text = "\(name) gave no frame \(what); \(hub.silence)" + hub.dropsText(since: corrupt)
      fail(CaptureError(.unavailable, text, .init(.notResponding, device: id.rawValue)))
    }
    return try await Patience.run(atMost: Self.photoPatience + more, expire: expire, body)
  }

  /// The threads that encode or measure a frame.
  func workers(for taken: TakenFrame) -> EncoderWorkers {
    workers.forFrames(taken.frame.format.pixelFormat, context.camera.imaging, own: libraryWorkers)
  }
}
