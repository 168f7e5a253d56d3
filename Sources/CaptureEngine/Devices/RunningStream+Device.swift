import CaptureControls
import CaptureModel

extension StreamFormat {
  /// The expected stream for a request, as far as it is known before the camera starts.
  init(_ wanted: StreamRequest) {
    self.init(pixelFormat: wanted.pixelFormat, size: wanted.size, interval: wanted.interval, planes: [])
  }

  /// Throws `invalidArgument` where the camera gave another size or pixel format than it was asked for.
  func require(_ wanted: StreamRequest, of camera: String) throws(CaptureError) {
    guard size != wanted.size || pixelFormat != wanted.pixelFormat else { return }
    throw CaptureError(
      .invalidArgument,
      "\(camera) was asked for \(wanted.size) \(wanted.pixelFormat) and gave \(size) \(pixelFormat)",
      .init(.valueNotPossible, field: "size", asked: .text("\(wanted.size)"), possible: ["\(size)"]))
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

  /// The expected stream of a session for `wanted`, as far as it is known before the camera starts.
  init(expected wanted: StreamRequest, of device: Device, for owner: CameraReservation) {
    self.init(
      device.name, StreamFormat(wanted), device.imaging, for: .session(owner.session, isRunning: false),
      isSlowed: owner.isSlowed)
  }
}

extension RunningStream.Holder {
  var text: String {
    switch self {
    case .nobody: "a client that is about to take frames"
    case .other(let holder): holder
    case .session(let name, _): "the session '\(name)'"
    }
  }
}
