import CaptureModel
import CaptureSystem

/// The progress of a photo.
public enum PhotoProgress: Sendable {
  /// The camera runs and has settled: the next frame may be the photo.
  case willCapture
  /// The frame was taken.
  case didCapture(PictureDescription)
}

/// Takes a device's photos, and lights them.
public final class Photos {
  let context: DeviceContext
  let settings: DeviceSettings
  let inputs: DeviceInputs
  let workers: EncoderWorkers
  let clock = UTCClock()
  /// What is written into photos beside what is known of their frames.
  var origin = PhotoOrigin()

  /// How long a photo waits for its frame at most. The call may have an earlier deadline.
  static let photoPatience = Duration.seconds(8)
  /// A photo fails after so many frames in a row that are damaged inside.
  private static let mostDamaged = 20

  init(
    _ context: DeviceContext, _ settings: DeviceSettings, _ inputs: DeviceInputs, workers: EncoderWorkers
  ) {
    (self.context, self.settings, self.inputs, self.workers) = (context, settings, inputs, workers)
  }

  /// Takes one photo: a frame whose exposure began at `requested` (`CLOCK_MONOTONIC` nanoseconds) or later.
  ///
  /// A camera that streams keeps its format. An idle camera is started at the size that is asked for, else at its driver's own or its largest
  /// (``SizeOption/openSizes``), and stopped afterwards. Those who subscribe meanwhile join that stream, and keep it.
  /// `progress` must not wait: the camera is kept meanwhile.
  /// Throws as ``Device/subscribe(_:sink:holder:)`` does, `unavailable` when the camera gives no frame, and `dataLoss` when all its frames are damaged.
  public func capture(
    _ request: VideoRequest, on device: isolated Device, requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    try request.validate()
    try await context.gates.photo.enter()
    var isNext = true
    defer { if isNext { context.gates.photo.leave() } }
    let hold = PhotoHold()
    let stream = try await stream(for: request, hold, on: device)
    if stream.isForSubscribers {
      // Other photos are taken beside this one.
      context.gates.photo.leave()
      isNext = false
    }
    // Subscribers come and go meanwhile. When the last of them has left, the photo keeps the stream.
    let photo: Result<Photo, CaptureError>
    do throws(CaptureError) {
      photo = .success(try await takePhoto(request, from: stream, requested: requested, progress: progress))
    } catch {
      photo = .failure(error)
    }
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    stream.hub.leave(hold)
    await device.stopIfIdle()
    if isNext, context.stream.isActive(stream) { scheduleContinuing() }
    return try photo.get()
  }

  /// Returns the running stream, or starts one. `hold` keeps it running.
  private func stream(
    for request: VideoRequest, _ hold: PhotoHold, on device: isolated Device
  ) async throws(CaptureError) -> ActiveStream {
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    try context.stream.requireNoSession(of: context.camera.name)
    if let running = context.stream.active, !running.hub.isIdle {
      _ = try context.camera.required()
      try running.hub.join(hold)
      return running
    }
    await device.stopIfIdle()
    let stream = try await device.start(request, for: .photo)
    do throws(CaptureError) {
      try stream.hub.join(hold)
    } catch {
      await device.stopIfIdle()
      throw error
    }
    return stream
  }

  /// Takes a photo from a session's stream. Throws `failedPrecondition` if that does not run.
  func capture(
    _ request: VideoRequest, for owner: CameraReservation, requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    try request.validate()
    guard context.stream.reservation === owner, let stream = context.stream.active else {
      throw CaptureError(
        .failedPrecondition, "the session '\(owner.session)' does not run; start it to take photos",
        .init(.notStreaming, holder: owner.session))
    }
    return try await takePhoto(request, from: stream, requested: requested, progress: progress)
  }

  /// Takes a photo from a running stream: a frame whose exposure began at `requested` (`CLOCK_MONOTONIC` nanoseconds) or later.
  ///
  /// It waits while an automatic mode looks for focus, exposure or white balance, as long as the request allows.
  private func takePhoto(
    _ request: VideoRequest, from stream: ActiveStream, requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    try await inputs.requireSignal(for: request)
    var request = request
    request.rate = nil
    var stream = stream
    var plan = try photoPlan(request, stream)
    var damaged = 0
    var notes = PhotoNotes()
    notes.settling = try await settle(request, stream)
    while true {
      var taken: TakenFrame
      (taken, notes.flash) = try await photoFrame(from: stream, requested: requested, flash: request.flash) {
        if damaged == 0 { progress(.willCapture) }
      }
      let format = taken.frame.format
      if format.size != stream.format.size || format.pixelFormat != stream.format.pixelFormat {
        // The source has changed while the photo waited.
        stream.format = format
        plan = try photoPlan(request, stream)
      }
      if plan.delivery == .untouched { taken = taken.asItComes(context.camera.imaging) }
      let metadata = metadata(of: taken, request)
      do throws(CaptureError) {
        let photo = try await picture(
          of: taken, notes, plan.delivery, isChecked: request.isChecked, for: stream.hub)
        progress(.didCapture(PictureDescription(taken.frame)))
        return await writing(metadata, into: photo)
      } catch {
        guard error.code == .dataLoss, taken.frame.format.pixelFormat.isJPEG else { throw error }
        damaged += 1
        if damaged == Self.mostDamaged { throw allDamaged(error, plan.delivery) }
      }
    }
  }

  private func photoPlan(_ request: VideoRequest, _ stream: ActiveStream) throws(CaptureError) -> FramePlan {
    try FramePlan(
      request, in: settings.frameDuration.running(stream), defaultQuality: JPEGSettings.photoQuality)
  }

  /// Copies or encodes a frame before the client hears of it: a client that does not read must not keep the camera's buffer. Throws `dataLoss` for a JPEG
  /// that is damaged inside.
  private func picture(
    of taken: TakenFrame, _ notes: PhotoNotes, _ delivery: FramePlan.Delivery, isChecked: Bool,
    for hub: StreamHub
  ) async throws(CaptureError) -> Picture {
    let isCut = !taken.zoom.isIdentity
    if let work = delivery.work ?? (isCut ? .own(quality: JPEGSettings.photoQuality) : nil) {
      return try await perform(work, on: taken, notes, for: hub)
    }
    let (pool, imaging) = (workers.pool, context.camera.imaging)
    let format = taken.frame.format
    let (photo, damage) = await workers.perform(for: context.camera.id) { _ in
      let payload = taken.frame.payload.copy(into: pool)
      let damage =
        isChecked && format.pixelFormat.isJPEG ? imaging.damage(payload, format.size) : nil
      return (Picture(taken, PictureDescription(taken.frame), payload: payload, notes: notes), damage)
    }
    guard let damage else { return photo }
    hub.noteDamage(taken.moment.ordinal, damage)
    throw CaptureError(.dataLoss, damage, .init(.damagedPicture))
  }

  private func allDamaged(_ last: CaptureError, _ delivery: FramePlan.Delivery) -> CaptureError {
    let instead = delivery == .untouched ? ", or take the photo unchecked ('--unchecked')" : ""
    return CaptureError(
      .dataLoss,
      "\(Self.mostDamaged) frames of \(context.camera.name) one after the other were damaged inside (the last: \(last.message)); "
        + "look to its cable, hub and bandwidth, choose a smaller size\(instead)",
      .init(.damagedPicture))
  }

  /// Has a consumer join the stream, and waits for its frame. `waiting` is called once it has joined.
  func frame(
    for consumer: PhotoConsumer, from hub: StreamHub, waiting: () -> Void
  ) async throws(CaptureError) -> TakenFrame {
    try hub.join(consumer)
    defer { hub.leave(consumer) }
    waiting()
    let (id, name, patience) = (context.camera.id, context.camera.name, Self.photoPatience)
    let corrupt = hub.counters.corrupt
    let expire = { @Sendable in
      consumer.fail(
        CaptureError(
          .unavailable,
          "\(name) gave no frame for a photo within \(patience.components.seconds) s; \(hub.silence)"
            + hub.dropped(since: corrupt),
          .init(.notResponding, device: id.rawValue)
        )
      )
    }
    return try await Patience.run(atMost: patience, expire: expire) { () throws(CaptureError) in
      try await consumer.wait()
    }
  }

  private func perform(
    _ work: PictureWork, on taken: TakenFrame, _ notes: PhotoNotes, for hub: StreamHub
  ) async throws(CaptureError) -> Picture {
    let pool = workers.pool
    let result = await workers(for: taken).perform(for: context.camera.id) { encoder in
      work.perform(on: taken, notes: notes, with: encoder(), into: pool)
    }
    hub.note(result, of: taken.moment.ordinal)
    return try result.get()
  }

  /// The threads that encode or measure a frame.
  func workers(for taken: TakenFrame) -> EncoderWorkers {
    workers.forFrames(taken.frame.format.pixelFormat, context.camera.imaging)
  }
}
