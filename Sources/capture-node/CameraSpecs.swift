import CaptureEngine
import CaptureModel
import CaptureSynthetic
import CaptureV4L2
import Glibc

/// The cameras that a node is to serve, by backend.
struct CameraSpecs {
  private let synthetic: [SyntheticSpec]
  private let devices: [String]

  /// Throws `invalidArgument` for a camera that is impossible.
  init(_ specs: [String]) throws(CaptureError) {
    var synthetic: [SyntheticSpec] = []
    var devices: [String] = []
    for spec in specs {
      if let made = try SyntheticSpec.parse(spec) {
        synthetic.append(made)
      } else {
        try Self.requirePossible(spec)
        devices.append(spec)
      }
    }
    self.synthetic = synthetic
    self.devices = devices
  }

  /// Throws for a file that exists and is no video device, since it will not become one. A path may be missing, since its device may appear later.
  private static func requirePossible(_ spec: String) throws(CaptureError) {
    var status = stat()
    guard spec.hasPrefix("/"), stat(spec, &status) == 0 else { return }
    let isVideoDevice = status.st_mode & S_IFMT == S_IFCHR && status.st_rdev >> 8 & 0xFFF == videoMajor
    if !isVideoDevice {
      throw CaptureError(
        .invalidArgument, "--camera \(spec): it is not a video device; video devices are /dev/video0, …")
    }
  }

  /// Linux's number for Video4Linux devices.
  private static let videoMajor: UInt = 81

  /// Gives the engine its backends. `bufferLimit`: the limit of ``V4L2Provider``. Returns once each backend has looked for its cameras, with a text
  /// for each camera that was asked for and is missing.
  func attach(to engine: CaptureEngine, bufferLimit: Int) async -> [String] {
    guard synthetic.isEmpty, devices.isEmpty else {
      if !synthetic.isEmpty { await engine.attach(SyntheticProvider(cameras: synthetic)) }
      guard !devices.isEmpty else { return [] }
      let provider = V4L2Provider(selection: .only(devices), bufferLimit: bufferLimit)
      await engine.attach(provider)
      return provider.missing
    }
    let provider = V4L2Provider(bufferLimit: bufferLimit)
    await engine.attach(provider)
    let missing = provider.missing
    // No synthetic camera takes the place of missing cameras, since it would hide that they are missing.
    guard engine.cameras.isEmpty, missing.isEmpty else { return missing }
    await engine.attach(SyntheticProvider(cameras: [.standard]))
    return []
  }
}
