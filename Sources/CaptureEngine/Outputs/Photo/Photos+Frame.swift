import CaptureModel

/// Makes photos of frames that were taken before.
extension Photos {
  /// Makes the photo of a frame that no flash has lit. Throws `dataLoss` for a JPEG that is damaged inside.
  func photo(
    of frame: PhotoFrame, _ request: PhotoRequest, _ notes: PhotoNotes, _ stream: ActiveStream,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Photo {
    var (request, stream) = (request, stream)
    request.frame.flash = .off
    stream.format = frame.taken.frame.format
    let plan = try photoPlan(request, stream)
    return Photo(
      files: try await files(of: frame, plan, notes, request.frame, for: stream.hub, progress: progress))
  }

  /// Announces how the photo of a request without a flash will be made, or throws the error that refuses the request.
  func announce(
    _ request: PhotoRequest, at time: PhotoTime = .next, in stream: ActiveStream,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) {
    let plan = try photoPlan(request, stream)
    var resolved = plan.resolved(request.frame, flash: try await resolvedFlash(.off))
    if stream.hasFrame(of: time) { resolved.settling = .zero }
    progress(.willBegin(resolved))
  }
}

extension ActiveStream {
  /// Whether a photo of that time is a frame that subscribers get anyway. Then the camera does not settle for the photo.
  func hasFrame(of time: PhotoTime) -> Bool { time != .next && isForSubscribers }
}
