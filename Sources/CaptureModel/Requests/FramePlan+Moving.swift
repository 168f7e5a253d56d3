extension FramePlan {
  /// The same, or the nearest to it, in a stream that goes on in another format: whoever had the camera's own size has it again.
  /// Throws `failedPrecondition` where there is nothing of the kind: another raw format.
  public func moved(from old: StreamFormat, to stream: RunningStream) throws(CaptureError) -> FramePlan {
    var request: VideoRequest
    switch delivery {
    case .untouched:
      request =
        old.pixelFormat.isJPEG
        ? VideoRequest() : VideoRequest(encoding: .raw, pixelFormat: old.pixelFormat)
    case .raw(let settings):
      request = VideoRequest(encoding: .raw, pixelFormat: old.pixelFormat, transform: settings.transform)
    case .jpeg(let settings):
      let isOwn = settings.size == settings.transform.deliveredSize(of: old.size)
      // What nobody need have asked for does not keep a camera's own JPEG from being delivered.
      let isUsual = settings.isLosslessPreferred || settings.quality == JPEGSettings.videoQuality
      request = VideoRequest(
        size: isOwn ? nil : settings.size, quality: isUsual ? nil : settings.quality,
        subsampling: settings.subsampling, transform: settings.transform)
    }
    request.rate = rate
    var plan = try FramePlan(nearest: request, in: stream)
    plan.rate = rate
    return plan
  }
}
