import CaptureModel

extension SubscribeRequest {
  package init(camera: String, _ request: VideoRequest) {
    self.init(
      camera: camera, encoding: request.encoding == .jpeg ? .jpeg : .raw,
      pixelFormat: request.pixelFormat?.rawValue ?? 0, size: request.size.map(Size.init),
      rate: request.rate ?? 0, quality: UInt32(clamping: request.quality ?? 0),
      subsampling: Subsampling(request.subsampling))
  }
}

extension CapturePhotoRequest {
  /// A photo does not use the encoding, pixel format and rate of `request`.
  package init(camera: String, _ request: VideoRequest) {
    self.init(
      camera: camera, size: request.size.map(Size.init), quality: UInt32(clamping: request.quality ?? 0),
      subsampling: Subsampling(request.subsampling), unchecked: !request.isChecked,
      allowNoSignal: request.allowsNoSignal,
      settle: request.settling.map { SettlingBound($0) })
  }
}

extension SettlingBound {
  /// Part of a millisecond is one: nothing that is waited for becomes none.
  fileprivate init(_ bound: Duration) {
    self.init(longestMs: UInt32(clamping: Int64((bound / .milliseconds(1)).rounded(.up))))
  }
}

extension Subsampling {
  fileprivate init(_ subsampling: ChromaSubsampling?) {
    switch subsampling {
    case nil: self = .unspecified
    case .s422: self = .subsampling422
    case .s420: self = .subsampling420
    }
  }
}
