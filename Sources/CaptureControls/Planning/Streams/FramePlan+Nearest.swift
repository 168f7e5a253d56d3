import CaptureModel

extension FramePlan {
  /// The plan of ``init(_:in:defaultQuality:)``. Where the stream cannot give that, the nearest one: a size in the stream's proportion that fits into
  /// the requested one, and a rate that the stream has. Throws `failedPrecondition` where not even that is possible: a raw format that is no
  /// ``PixelTarget``.
  package init(nearest request: VideoRequest, in stream: RunningStream) throws(CaptureError) {
    do throws(CaptureError) {
      try self.init(request, in: stream)
    } catch {
      try self.init(request.fitted(into: stream.format), in: stream)
    }
  }
}

extension VideoRequest {
  fileprivate func fitted(into format: StreamFormat) -> VideoRequest {
    var request = self
    if let rate, let interval = format.interval, !interval.reaches(rate: rate) { request.rate = nil }
    switch encoding {
    case .raw:
      let own = transform.deliveredSize(of: format.size)
      request.sourcePixelFormat = nil
      request.size = target.map { $0.rounded(size?.fitting(own) ?? own) }
    case .jpeg:
      request.pixelFormat = nil
      request.size = size?.fitting(transform.deliveredSize(of: format.size))
    }
    return request
  }
}

extension FrameSize {
  /// The largest size inside this one that has the shape of `stream`, and is no larger than `stream`.
  func fitting(_ stream: FrameSize) -> FrameSize {
    if width >= stream.width, height >= stream.height { return stream }
    // The side with less room decides.
    let isWide = stream.width * height >= stream.height * width
    let fitted =
      isWide
      ? FrameSize(width: width, height: stream.height * width / stream.width)
      : FrameSize(width: stream.width * height / stream.height, height: height)
    return FrameSize(width: max(2, fitted.width & ~1), height: max(2, fitted.height & ~1))
  }
}
