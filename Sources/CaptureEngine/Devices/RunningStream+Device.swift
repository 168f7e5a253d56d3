import CaptureModel

extension StreamFormat {
  /// The expected stream for a request, as far as it can be known before.
  init(_ wanted: StreamRequest) {
    self.init(pixelFormat: wanted.pixelFormat, size: wanted.size, interval: wanted.interval, planes: [])
  }
}

extension RunningStream {
  init(
    _ camera: String, _ format: StreamFormat, _ imaging: Imaging, for holder: Holder, isSlowed: Bool = false
  ) {
    self.init(
      camera: camera, format: format, isEncodable: imaging.isEncodable(format.pixelFormat),
      isTurnable: imaging.isTurnable(format.pixelFormat), holder: holder, isSlowed: isSlowed)
  }

  /// The expected stream of a session for `wanted`, as far as it can be known before.
  init(expected wanted: StreamRequest, of device: Device, for owner: CameraReservation) {
    self.init(
      device.name, StreamFormat(wanted), device.imaging, for: .session(owner.session, isRunning: false),
      isSlowed: owner.isSlowed)
  }
}

extension RunningStream.Holder {
  var text: String {
    switch self {
    case .nobody: "somebody who is about to take frames"
    case .other(let holder): holder
    case .session(let name, _): "the session '\(name)'"
    }
  }
}
