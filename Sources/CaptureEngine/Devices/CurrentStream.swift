import CaptureControls
import CaptureModel
import CaptureSystem

/// A running stream.
struct ActiveStream {
  let hub: StreamHub
  let video: VideoOutput
  /// The format of the camera's frames.
  var format: StreamFormat
  /// The format of its subscribers' frames, where the camera gives larger ones; `nil`: the camera's own.
  var viewed: StreamFormat?
  /// The rate, in frames a second, that its first subscriber asked for.
  var askedRate: Double?
  /// The single use for which the stream was started and which is not over; `nil`: subscribers or a session have the stream.
  var temporaryUse: String?
  /// The subscriptions that joined while the stream was temporary, in their order, and their requests.
  var joined: [(subscription: FrameSubscription, request: VideoRequest)] = []
  /// The stream that the camera had before it was unplugged, if a subscriber who joined can use that stream; `nil`: the subscribers' requests decide
  /// how this stream goes on.
  var former: FormerStream?

  var isForSubscribers: Bool { temporaryUse == nil }

  /// Throws `unavailable` if the stream has ended: the camera has gone, or its driver has ended the stream, which is no refusal of the format.
  func requireRunning() throws(CaptureError) {
    guard let end = hub.end else { return }
    throw end.code == .unavailable ? end : CaptureError(.unavailable, end.message, .init(.streamEnded))
  }

  /// The stream once its single use is over: it runs for its subscribers.
  func forSubscribers(askedRate rate: Double?) -> ActiveStream {
    var stream = self
    (stream.temporaryUse, stream.joined, stream.former, stream.askedRate) = (nil, [], nil, rate)
    return stream
  }

  /// The request that leads to this stream.
  var request: StreamRequest {
    StreamRequest(pixelFormat: format.pixelFormat, size: format.size, interval: format.interval)
  }
}

extension ActiveStream {
  /// Whether a restart with this request would change the stream.
  func isChanged(by wanted: StreamRequest) -> Bool {
    guard wanted.pixelFormat == format.pixelFormat, wanted.size == format.size else { return true }
    // A stream without a known interval has one that no request changes.
    return format.interval.map { $0 != wanted.interval } ?? false
  }

  /// The stream in another format of the camera's frames.
  func inFormat(_ format: StreamFormat) -> ActiveStream {
    var stream = self
    stream.format = format
    return stream
  }

  /// The stream as its subscribers have it.
  var asViewed: ActiveStream {
    var stream = self
    (stream.format, stream.viewed) = (viewed ?? format, nil)
    return stream
  }

  /// If `next` has another size or pixel format, gives the subscribers the frames of `next`.
  func moveSubscribers(to next: ActiveStream, _ frameDuration: FrameDurationBounds) {
    guard format.size != next.format.size || format.pixelFormat != next.format.pixelFormat else { return }
    video.move(to: frameDuration.runningStream(of: next), from: format)
  }

  /// Starts the stopped stream again as `next`, also for its subscribers. If that fails, starts it as it was; if that fails too, the stream ends.
  /// Throws the reason why it does not run as `next`.
  func restart(
    as next: ActiveStream, of camera: any Camera, on device: isolated Device,
    because reason: (StreamRequest) -> String
  ) async throws(CaptureError) {
    moveSubscribers(to: next, device.frameDuration)
    do throws(CaptureError) {
      try await device.restart(next, as: next.request, of: camera, because: reason(next.request))
    } catch {
      // The driver refused a format that it had listed; its list may have changed by now.
      if error.code == .invalidArgument { device.context.camera.forgetFormats() }
      video.moveBack()
      let isBack = (try? await device.restart(self, as: request, of: camera, because: reason(request))) != nil
      if !isBack { device.end(self, because: error) }
      throw error
    }
  }

  /// What its subscribers' frames are made of; `nil`: they are the camera's.
  var larger: LargerSource? { viewed.map { LargerSource(format, insteadOf: $0) } }
}

/// The stream of a session's camera.
struct InputStream: Sendable {
  let hub: StreamHub
  let video: VideoOutput
  let format: StreamFormat
  /// The running stream as a new request has to fit into it.
  let running: RunningStream

  /// The stream as subscribers have it.
  init(_ stream: ActiveStream, _ frameDuration: FrameDurationBounds) {
    let viewed = stream.asViewed
    (hub, video, format) = (viewed.hub, viewed.video, viewed.format)
    running = frameDuration.runningStream(of: viewed)
  }
}

/// The present stream of a device, and its owner. The device begins and ends it; parts read it and report what happened to it.
final class CurrentStream {
  /// `nil`: no stream runs.
  private(set) var active: ActiveStream?
  private var inUseLight: InUseLight?
  /// The reservation of the session that has the camera.
  private(set) var reservation: CameraReservation?
  /// The stream that subscribers had when the camera went.
  private var former: FormerStream? { didSet { wakeWaiters() } }
  /// For how long the former stream is kept for its subscribers. Tests set another time.
  var formerPatience = Duration.seconds(3) { didSet { former?.patience = formerPatience } }
  /// Wakes the requests that wait for former subscribers: something has changed, and they have to check again whether they still wait.
  private var wakeUp = Ending()

  func began(_ stream: ActiveStream) {
    active = stream
    inUseLight?.show(true)
    wakeWaiters()
  }
  /// Tells that a subscriber joined the stream while it was temporary.
  func joined(by subscription: FrameSubscription, _ request: VideoRequest, of camera: CurrentCamera) {
    active?.joined.append((subscription, request))
    // The former stream is not claimed yet: its former subscribers may still come.
    if let former, former.isAwaited, former.canServe(request, of: camera) { active?.former = former }
    wakeWaiters()
  }
  /// Tells that the temporary stream goes on for its subscribers, or is about to. If the camera goes meanwhile, this is the stream that they had.
  func continuedForSubscribers(as stream: ActiveStream) {
    active = stream
    wakeWaiters()
  }
  /// Tells that the stream ended. Returns it.
  func ended() -> ActiveStream? {
    guard let ended = active.take() else { return nil }
    inUseLight?.show(false)
    return ended
  }
  /// Sets the light that is on while a stream runs.
  func setInUseLight(_ light: any LightSource, report: @escaping @Sendable (String) -> Void) {
    inUseLight = InUseLight(light, isInUse: active != nil, report: report)
  }
  /// Returns when the in-use light shows the state that was set last.
  func settleInUseLight() async { await inUseLight?.settled() }
  func reserved(by reservation: CameraReservation?) { self.reservation = reservation }

  /// The stream that runs, if it is temporary.
  var temporary: ActiveStream? {
    guard reservation == nil, let active, !active.isForSubscribers, !active.hub.isIdle else { return nil }
    return active
  }

  /// Whether `stream` is the one that runs.
  func isActive(_ stream: ActiveStream) -> Bool { active?.hub === stream.hub }

  /// Tells that further frames may differ from those before. `change`: the latest change.
  func settingsChanged(to change: UInt64? = nil) {
    active?.hub.settingsChanged(to: change)
  }

  /// The width of its frames in pixels.
  var frameWidth: Int? { active?.format.size.width }

  func requireNoSession(of camera: String) throws(CaptureError) {
    guard let reservation else { return }
    throw CaptureError(
      .failedPrecondition,
      "\(camera) is in the session '\(reservation.session)', and a camera is in one session at a time; "
        + "take pictures from that session, or take the camera out of it",
      .init(.heldBySession, holder: reservation.session))
  }

  /// To be called while no stream runs. Throws if the consumer may not start one.
  func requireMayStart(_ consumer: any FrameConsumer, of camera: CurrentCamera) throws(CaptureError) {
    if let reservation {
      throw reservation.interruption(of: camera)
        ?? CaptureError(
          .failedPrecondition,
          "\(camera.name) is in the session '\(reservation.session)', which does not stream: start it first",
          .init(.notStreaming, holder: reservation.session, device: camera.id.rawValue))
    }
    guard consumer.keepsStreamRunning else {
      throw CaptureError(
        .failedPrecondition, "\(camera.name) does not stream, and \(consumer.holder) starts no stream",
        .init(.notStreaming, device: camera.id.rawValue))
    }
  }

  /// Throws `aborted` if the session does not have the camera any more.
  func requireReservation(_ owner: CameraReservation, of camera: CurrentCamera) throws(CaptureError) {
    guard reservation === owner else {
      throw CaptureError(
        .aborted, "\(camera.name) was taken out of the session '\(owner.session)'",
        .init(.changeReplaced, holder: owner.session, device: camera.id.rawValue))
    }
  }

  /// Throws the error that a session gets if it asks for the camera now.
  func requireReservable(_ camera: CurrentCamera) throws(CaptureError) {
    try requireNoSession(of: camera.name)
    _ = try camera.required()
    try requireNoViewers(of: camera.name)
  }

  private func requireNoViewers(of camera: String) throws(CaptureError) {
    guard let active, !active.hub.isIdle else { return }
    throw CaptureError(
      .failedPrecondition,
      "\(camera) streams \(active.format.size) \(active.format.pixelFormat) for \(active.hub.holder.text); "
        + "a session can have it when that has ended",
      .init(.heldByStream, holder: active.hub.holder.text))
  }

  // MARK: A camera that comes back

  /// Keeps a stream that ends by itself or with its camera, for its former subscribers.
  func noteFormerStream() {
    wakeWaiters()
    guard reservation == nil, let active, active.isForSubscribers else { return }
    former = FormerStream(active.asViewed, patience: formerPatience)
  }

  func cameraAppeared() { former?.cameraReturned() }

  /// Delays a request that the former stream cannot serve, until the former subscribers are back or their time is over.
  /// `request`: `nil` for a session, which shares the camera with nobody. A stream that was started for a photo does not mean that they are back.
  func waitForFormerSubscribers(_ request: VideoRequest?, of camera: CurrentCamera)
    async throws(CaptureError)
  {
    while let former, active?.isForSubscribers != true, camera.present != nil, former.isAwaited,
      request.map({ !former.canServe($0, of: camera) }) ?? true
    {
      let wakeUp = wakeUp
      let timeIsOver = CaptureError(.unavailable, "their time is over")
      let change: Void? = try? await Patience.run(atMost: former.timeLeft, expire: { wakeUp.end(timeIsOver) })
      {
        () throws(CaptureError) in try await wakeUp.wait()
      }
      if change == nil { return }
      try CaptureError.checkCancellation()
    }
  }

  /// How many requests wait for former subscribers.
  var waitingCount: Int { wakeUp.waitingCount }

  private func wakeWaiters() {
    wakeUp.end(nil)
    wakeUp = Ending()
  }

  /// Returns the former stream if it can serve the request; `nil`: the new request decides the format. Forgets the former stream in either case.
  func claimFormer(for request: VideoRequest, of camera: CurrentCamera) -> FormerStream? {
    guard let former = former.take(), former.isAwaited, former.canServe(request, of: camera) else {
      return nil
    }
    return former
  }
}
