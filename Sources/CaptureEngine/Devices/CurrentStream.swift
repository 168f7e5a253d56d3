import CaptureModel

/// A stream that runs.
struct ActiveStream {
  let hub: StreamHub
  let video: VideoOutput
  var format: StreamFormat
  /// Frames a second that its first subscriber asked for.
  var askedRate: Double?
  /// Not for a photo alone.
  var isForSubscribers = true
  /// What the first subscriber asked for who joined it while it was for a photo alone; until that is over.
  var wanted: VideoRequest?

  /// As it was asked for.
  var request: StreamRequest {
    StreamRequest(pixelFormat: format.pixelFormat, size: format.size, interval: format.interval)
  }
}

/// A session's camera, streaming.
struct SessionStream: Sendable {
  let hub: StreamHub
  let video: VideoOutput
  let format: StreamFormat
  /// As requests have to fit into it.
  let running: RunningStream
}

/// The stream of a device as it is now, and whose it is: the device changes it, its parts look.
final class CurrentStream {
  /// `nil`: there is none.
  private(set) var active: ActiveStream?
  /// The session that has the camera.
  private(set) var hold: CameraHold?
  /// What subscribers had when the camera went.
  private var former: FormerStream?

  func began(_ stream: ActiveStream) { active = stream }
  /// Returns the one that was.
  func ended() -> ActiveStream? { active.take() }
  func held(by hold: CameraHold?) { self.hold = hold }

  /// The one that runs, where that was begun for a photo and is for nobody else.
  var ofPhoto: ActiveStream? {
    guard hold == nil, let active, !active.isForSubscribers, !active.hub.isIdle else { return nil }
    return active
  }

  /// Whether `stream` is the one that runs.
  func isActive(_ stream: ActiveStream) -> Bool { active?.hub === stream.hub }

  /// Its frames need not be as those before; `change`: the latest that there was.
  func settingsChanged(to change: UInt64? = nil) {
    active?.hub.state.withLock { $0.steadiness.changed(to: change) }
  }

  /// Pixels of a row of its frames.
  var frameWidth: Int? { active?.format.size.width }

  func requireNoSession(of camera: String) throws(CaptureError) {
    guard let hold else { return }
    throw CaptureError(
      .failedPrecondition,
      "\(camera) is in the session '\(hold.session)', and a camera is in one session at a time; "
        + "take pictures from that session, or take the camera out of it")
  }

  // MARK: A camera that comes back

  /// The stream ends by itself, or with its camera: it is kept for those who had it.
  func endsByItself() {
    guard hold == nil, let active, active.isForSubscribers else { return }
    former = FormerStream(active)
  }

  func cameraAppeared() { former?.cameraReturned() }

  /// Who asks for what the former stream cannot give waits for those who had it, or until their time is over.
  func letFormerGoFirst(_ request: VideoRequest, of camera: CurrentCamera) async throws(CaptureError) {
    while let former, active == nil, camera.present != nil, former.isAwaited,
      !former.gives(request, of: camera)
    {
      do {
        try await Task.sleep(for: .milliseconds(50))
      } catch {
        throw CaptureError(.cancelled, "the call was cancelled")
      }
    }
  }

  /// The former stream, where it gives what is asked for. `nil`: the request decides.
  func takeFormer(for request: VideoRequest, of camera: CurrentCamera) -> FormerStream? {
    guard let former = former.take(), former.isAwaited, former.gives(request, of: camera) else { return nil }
    return former
  }
}
