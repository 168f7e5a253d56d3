import CaptureModel

extension FramePlan {
  /// The same plan, or the nearest one, for a stream that goes on in another format: a client that had the camera's own size gets the new one. Throws
  /// `failedPrecondition` where nothing similar is possible: a raw format that is no ``PixelTarget``.
  package func moved(from old: StreamFormat, to stream: RunningStream) throws(CaptureError) -> FramePlan {
    var request: VideoRequest
    switch delivery {
    case .untouched:
      request =
        old.pixelFormat.isJPEG
        ? VideoRequest() : VideoRequest(encoding: .raw, pixelFormat: old.pixelFormat)
    case .raw(let settings):
      request = VideoRequest(encoding: .raw, pixelFormat: old.pixelFormat, transform: settings.transform)
    case .pixels(let settings):
      let own = settings.transform.deliveredSize(of: old.size)
      request = VideoRequest(
        encoding: .raw, pixelFormat: settings.target.pixelFormat, transform: settings.transform)
      if settings.size != settings.target.rounded(own) { request.size = settings.size }
    case .jpeg(let settings):
      let own = settings.transform.deliveredSize(of: old.size)
      // The client may not have asked for these settings. Then a camera's own JPEG will do.
      let isUsual = settings.isLosslessPreferred || settings.quality == JPEGSettings.videoQuality
      request = VideoRequest(
        quality: isUsual ? nil : settings.quality, subsampling: settings.subsampling,
        transform: settings.transform)
      if settings.size != own { request.size = settings.size }
    }
    if let placement {
      (request.size, request.gravity, request.transform) = (
        placement.size, placement.gravity, placement.transform
      )
    }
    request.rate = rate
    var plan = try FramePlan(nearest: request, in: stream)
    plan.rate = rate
    return plan
  }
}
