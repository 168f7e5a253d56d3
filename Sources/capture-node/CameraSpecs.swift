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

  /// Hands the engine its backends. Returns when each has looked once, with what was asked for and is not there.
  func attach(to engine: CaptureEngine) async -> [String] {
    guard synthetic.isEmpty, devices.isEmpty else {
      if !synthetic.isEmpty { await engine.attach(SyntheticProvider(cameras: synthetic)) }
      guard !devices.isEmpty else { return [] }
      let provider = V4L2Provider(selection: .only(devices))
      await engine.attach(provider)
      return await provider.missing()
    }
    let provider = V4L2Provider()
    await engine.attach(provider)
    let missing = await provider.missing()
    let cameras = await engine.cameras
    if cameras.contains(where: { $0.description.unusableReason == nil }) { return missing }
    await engine.attach(SyntheticProvider(cameras: [.standard]))
    guard !cameras.isEmpty || !missing.isEmpty else { return [] }
    return missing + ["no camera can be used: a synthetic one is served in their place"]
  }
}
