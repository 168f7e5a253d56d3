import CaptureModel
import CaptureSystem

/// How far a photo is.
public enum PhotoProgress: Sendable {
  /// The camera runs.
  case willCapture
  /// The frame was taken.
  case didCapture(PictureDescription)
}

extension DeviceController {
  /// The longest that a photo waits for its frame, beside the call's own deadline.
  static let photoPatience = Duration.seconds(8)

  /// Takes one photo: a frame whose exposure began at `requested` (`CLOCK_MONOTONIC` nanoseconds) or later.
  ///
  /// A camera that streams is not reconfigured; an idle one is started at the size asked for, else its largest, and stopped afterwards.
  /// `progress` must not wait: the camera is kept meanwhile.
  /// Errors as ``subscribe(_:sink:holder:)``, and `unavailable` when the camera gives no frame.
  public func capturePhoto(
    _ request: VideoRequest, requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Picture {
    try request.validate()
    try await turnstile.enter()
    do throws(CaptureError) {
      try requireNoSession()
    } catch {
      turnstile.leave()
      throw error
    }
    if let stream, !stream.hub.isIdle {
      turnstile.leave()
      return try await takeBeside(stream, request, requested: requested, progress: progress)
    }
    defer { turnstile.leave() }
    await stopIfIdle()
    let stream = try await start(request, for: .photo)
    do throws(CaptureError) {
      let photo = try await take(request, from: stream, requested: requested, progress: progress)
      await stopIfIdle()
      return photo
    } catch {
      await stopIfIdle()
      throw error
    }
  }

  /// From a stream that runs for others. When they leave meanwhile, the photo was the last that kept it.
  private func takeBeside(
    _ stream: ActiveStream, _ request: VideoRequest, requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Picture {
    let photo: Result<Picture, CaptureError>
    do throws(CaptureError) {
      _ = try presentCamera()
      photo = .success(try await take(request, from: stream, requested: requested, progress: progress))
    } catch {
      photo = .failure(error)
    }
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    await stopIfIdle()
    return try photo.get()
  }

  func take(
    _ request: VideoRequest, from stream: ActiveStream, requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Picture {
    var request = request
    request.rate = nil
    let plan = try FramePlan(request, in: running(stream), defaultQuality: JPEGSettings.photoQuality)
    var taken = try await photoFrame(from: stream, requested: requested) { progress(.willCapture) }
    if plan.delivery == .untouched { taken = taken.asItComes(imaging) }
    let description = PictureDescription(taken.frame)
    // Copied or encoded before the client hears of it: one that does not read must not hold the camera's buffer.
    let photo: Picture
    let isCut = !taken.zoom.isIdentity
    if let work = plan.delivery.work ?? (isCut ? .own(quality: JPEGSettings.photoQuality) : nil) {
      photo = try await perform(work, on: taken, for: stream.hub)
    } else {
      let pool = workers.pool
      photo = await workers.perform { [taken] in
        Picture(taken, description, payload: taken.frame.payload.copy(into: pool))
      }
    }
    progress(.didCapture(description))
    return photo
  }

  func frame(
    for tap: PhotoTap, from hub: StreamHub, waiting: () -> Void
  ) async throws(CaptureError) -> TakenFrame {
    try hub.add(tap)
    defer { hub.remove(tap) }
    waiting()
    let name = name
    let timer = Task {
      try await Task.sleep(for: Self.photoPatience)
      tap.fail(
        CaptureError(
          .unavailable,
          "\(name) gave no frame for a photo within \(Self.photoPatience.components.seconds) s; \(hub.silence)"
        )
      )
    }
    defer { timer.cancel() }
    return try await tap.wait()
  }

  private func perform(_ work: PictureWork, on taken: TakenFrame, for hub: StreamHub)
    async throws(CaptureError) -> Picture
  {
    let (encoder, pool) = (imaging.makeEncoder(), workers.pool)
    let result = await workers.perform { work.perform(on: taken, with: encoder, into: pool) }
    hub.note(result)
    return try result.get()
  }
}
