import Capture3A
import CaptureControls
import CaptureImaging
import CaptureModel
import CaptureSystem

/// Photos that are larger than the stream that runs.
extension Photos {
  /// The format to which the camera is switched for a photo; `nil`: the request does not ask for a switch, or the stream is large enough.
  func formatToSwitch(to request: PhotoRequest, from stream: ActiveStream) async throws(CaptureError)
    -> StreamRequest?
  {
    request.fullSize == .switch ? try await fullFormat(of: request, beside: stream) : nil
  }

  /// The format in which an idle camera would be started for the photo; `nil`: the stream is large enough.
  func fullFormat(of request: PhotoRequest, beside stream: ActiveStream) async throws(CaptureError)
    -> StreamRequest?
  {
    let streamSuffices = (try? photoPlan(request, stream)) != nil
    if streamSuffices, request.leading.picture.size != nil { return nil }
    let wanted = try await frameDuration.choose(
      try await requestForIdle(request), for: .photo, converts: true)
    return streamSuffices && stream.format.size.area >= wanted.size.area ? nil : wanted
  }

  /// The plan of a photo for which the camera is switched.
  func photoPlan(_ request: PhotoRequest, switchedTo format: StreamFormat) throws(CaptureError) -> PhotoPlan {
    try PhotoPlan(
      request, in: RunningStream(context.camera.name, format, context.camera.imaging, for: .nobody))
  }

  /// Takes a photo of a frame in another format than the stream's. The files are made once the stream goes on.
  func takePhoto(
    _ request: PhotoRequest, switchingTo wanted: StreamRequest, from stream: ActiveStream,
    on device: isolated Device, progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    var frame = request.frame
    try await inputs.requireSignal(for: frame)
    activity.begin()
    defer { activity.end() }
    let plan = try photoPlan(request, switchedTo: StreamFormat(wanted))
    progress(.willBegin(plan.resolved(frame, flash: try await resolvedFlash(.off))))
    let settled = try await settle(frame, stream)
    let patience = min(frame.settling ?? PhotoSettling.usualBound, PhotoSettling.usualBound)
    let (taken, wait) = try await formatSwitch.run(
      in: wanted, beside: stream, atMost: patience, on: device
    ) { run throws(CaptureError) in
      progress(.willCapture)
      var (taken, wait) = try await wholeFrame(in: run, isChecked: frame.isChecked, plan)
      // Only the hub of the device's stream is told whether the input has a signal.
      taken.noSignal = stream.hub.noSignal
      return (taken.copied(into: underWay.pool), wait)
    }
    let kept = try underWay.keep(taken, isCopy: true)
    var notes = PhotoNotes()
    notes.settling = settled.map { $0.followed(by: wait) }
    (frame.isChecked, frame.flash) = (false, .off)
    return Photo(
      files: try await files(
        of: kept, try photoPlan(request, switchedTo: taken.frame.format), notes, frame, for: stream.hub,
        progress: progress))
  }

  /// Returns the first undamaged frame, counting from the first that looks as before the switch.
  private func wholeFrame(in run: FormatSwitch.Run, isChecked: Bool, _ plan: PhotoPlan)
    async throws(CaptureError) -> FormatSwitch.Taken
  {
    var damaged = 0
    var (taken, wait) = try await frameAsBefore(in: run)
    while true {
      do throws(CaptureError) {
        if isChecked { try await check(taken, for: run.hub) }
        return (taken, wait)
      } catch {
        damaged += 1
        if damaged == Self.mostDamaged { throw allDamaged(error, damaged, plan) }
        taken = try await nextFrame(for: PhotoConsumer(), from: run.hub) {}.taken
      }
    }
  }

  /// Takes the frames of a run until one looks as before, and returns that one.
  func frameAsBefore(in run: FormatSwitch.Run) async throws(CaptureError) -> FormatSwitch.Taken {
    // Colours cannot be compared with those of a grey picture.
    let isComparable = run.before.isGrey == PixelConverter.isGrey(run.pixelFormat)
    var match = PictureMatch(isComparable ? run.before.picture : nil, atMost: run.before.patience)
    let began = MonotonicClock.now()
    var taken = try await nextFrame(ofJoined: run.first, in: run.hub).taken
    while true {
      let picture = await measure(taken, in: run.hub)
      if let provenance = match.observe(picture, at: taken.moment.time) {
        let waited = Duration.nanoseconds(MonotonicClock.now() - began)
        return (taken, PhotoSettling(provenance, waited: waited, frames: match.frames))
      }
      let consumer = PhotoConsumer()
      run.offer(onlyTo: consumer)
      taken = try await nextFrame(for: consumer, from: run.hub) {}.taken
    }
  }

  /// Measures the next frame of a stream; `nil`: it cannot be measured.
  func measureNextFrame(of hub: StreamHub) async throws(CaptureError) -> SettlingReading? {
    let taken = try await nextFrame(for: PhotoConsumer(), from: hub) {}.taken
    guard case .reading(let reading) = await measure(taken, in: hub) else { return nil }
    return reading
  }
}

extension PhotoRequest {
  /// Throws `invalidArgument` where the camera is to be switched for photos of this kind.
  func requireNoSwitch(for kind: String, _ field: String) throws(CaptureError) {
    if fullSize == .switch { try requireStream(for: kind, field) }
  }

  /// Throws `invalidArgument` if the request asks for another format than the stream's, which photos of this kind cannot have.
  func requireStream(for kind: String, _ field: String) throws(CaptureError) {
    guard let fullSize, fullSize.interrupts else { return }
    let photos = fullSize == .switch ? "one photo of the next frame" : "photos of frames to come"
    throw CaptureError(
      .invalidArgument,
      "full_size '\(fullSize.rawValue)' is for \(photos): leave out full_size or \(kind)",
      .init(.fieldsExclusive, field: field, asked: .text(fullSize.rawValue)))
  }
}

extension PhotoSettling {
  /// Whether the first frame was observed to look as before.
  var isFirstFrameAsBefore: Bool { frames == 1 && provenance == .observed }

  /// This wait and the next one, as one wait.
  fileprivate func followed(by next: PhotoSettling) -> PhotoSettling {
    PhotoSettling(
      max(provenance, next.provenance), waited: waited + next.waited, frames: frames + next.frames)
  }
}
