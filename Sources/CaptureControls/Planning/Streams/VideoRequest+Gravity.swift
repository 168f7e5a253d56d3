import CaptureModel

extension FramePlan {
  /// The size and the gravity of a request, and its transform before the gravity changed it. When the stream goes on in another format, the picture
  /// is placed anew by these.
  struct Placement: Hashable, Sendable {
    let size: FrameSize
    let gravity: VideoGravity
    let transform: PictureTransform

    /// `nil` for a request without a gravity.
    init?(_ request: VideoRequest) {
      guard let size = request.size, let gravity = request.gravity else { return nil }
      (self.size, self.gravity, transform) = (size, gravity, request.transform)
    }
  }
}

extension VideoRequest {
  /// The request for frames of size `source`: its gravity decides the size, or the part of the picture.
  func placed(in source: FrameSize) -> VideoRequest {
    guard let gravity, let size else { return self }
    var request = self
    let own = transform.deliveredSize(of: source)
    switch gravity {
    case .aspect: request.size = size.fitting(own)
    case .fill:
      let (width, height) = (Double(size.width) / Double(own.width), Double(size.height) / Double(own.height))
      let scale = max(width, height)
      let (x, y) = ((1 - width / scale) / 2, (1 - height / scale) / 2)
      request.transform = transform.then(
        PictureTransform(crop: NormalizedRect(left: x, top: y, right: 1 - x, bottom: 1 - y)))
    case .resize: break
    }
    return request
  }

  /// Ranks a camera's sizes for a request with a gravity: first the smallest from which the picture need not be enlarged, then the largest.
  func gravityRank(of source: FrameSize) -> Int {
    guard let gravity, let size else { return 0 }
    let own = transform.deliveredSize(of: source)
    let (isWide, isHigh) = (own.width >= size.width, own.height >= size.height)
    let isEnough = gravity == .aspect ? isWide || isHigh : isWide && isHigh
    let area = min(source.area, 1 << 32)
    return isEnough ? area : (2 << 32) - area
  }
}
