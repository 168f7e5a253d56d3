public import CaptureModel

extension CapturePhotoRequest {
  /// The number of photos of a burst; `nil`: the request is for no burst. Throws `resourceExhausted` for too many photos, and `invalidArgument` for a
  /// burst with a bracket or of another moment.
  public func burst() throws(CaptureError) -> Int? {
    guard let settings, settings.burst > 0 else { return nil }
    let field = "settings.burst"
    guard settings.bracket.isEmpty else {
      throw CaptureError(
        .invalidArgument, "a burst and a bracket exclude each other", .init(.fieldsExclusive, field: field))
    }
    if let kind = settings.when?.kind, kind != .next(true) {
      throw CaptureError(
        .invalidArgument, "a burst is taken of the next frames, not of another moment",
        .init(.fieldsExclusive, field: PhotoTime.field))
    }
    guard settings.burst <= NodeLimit.burstPhotos.usual else {
      throw NodeLimit.burstPhotos.exceeded(
        "a burst of \(settings.burst) photos is too long; \(NodeLimit.burstPhotos.usual) are the most that one call takes"
      )
    }
    return Int(settings.burst)
  }
}
