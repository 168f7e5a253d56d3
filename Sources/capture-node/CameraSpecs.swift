import CaptureEngine
import CaptureModel
import CaptureSynthetic
import CaptureV4L2
import Glibc

/// The cameras a node was told to serve, by backend.
struct CameraSpecs {
  private let synthetic: [SyntheticSpec]
  private let devices: [String]

  /// Throws `invalidArgument` for a camera that can never be.
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

  /// A path may appear later; one that is there and no video device will not become one.
  private static func requirePossible(_ spec: String) throws(CaptureError) {
    var status = stat()
    guard spec.hasPrefix("/"), stat(spec, &status) == 0 else { return }
    let isVideoDevice = status.st_mode & S_IFMT == S_IFCHR && status.st_rdev >> 8 & 0xFFF == videoMajor
    if !isVideoDevice {
      throw CaptureError(
        .invalidArgument, "--camera \(spec): that is no video device; those are /dev/video0, …")
    }
  }

  /// Linux's number for Video4Linux devices.
  private static let videoMajor: UInt = 81

  /// Hands the engine its backends; `bufferLimit` as ``V4L2Provider`` takes it. Returns when each has looked once, with what was asked for and is not there.
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
    // Where there are cameras that cannot be had, one made of arithmetic in their place would hide that.
    guard engine.cameras.isEmpty, missing.isEmpty else { return missing }
    await engine.attach(SyntheticProvider(cameras: [.standard]))
    return []
  }
}
