import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import Testing

@testable import CaptureEngine

/// A camera with physics whose delays only the test knows.
struct PhysicsRig {
  let engine: CaptureEngine
  let provider: SyntheticProvider
  let device: Device
  let truth: PhysicsTruth

  static let controls: [ControlID] = [
    .exposureAbsolute, .gain, .whiteBalanceTemperature, .redBalance, .blueBalance, .zoomAbsolute,
    .flashLEDMode,
    .torchIntensity, .focusAbsolute,
  ]
  static let switches: [ControlID] = [.autoExposure, .autoWhiteBalance, .autoFocus]

  /// Delays from 0 to 5 by chance.
  init(rate: Double = 60, size: FrameSize = FrameSize(width: 320, height: 240), automatic: Bool = true)
    async throws
  {
    var options = PhysicsOptions()
    if !automatic { options.automation = [] }
    options.seed = UInt64.random(in: 1...1000)
    for id in Self.controls { options.delays[id] = Int.random(in: 0...5) }
    provider = SyntheticProvider(cameras: [
      .physics(options, size: size, interval: FrameInterval(rate: rate)!)
    ])
    engine = CaptureEngine(imaging: .standard)
    await engine.attach(provider)
    device = try engine.device("0")
    truth = try #require(provider.physicsCamera(0)).truth
  }

  /// The values of the controls that no automatic mode has taken over.
  static func values(_ device: Device) async throws -> [ControlID: ControlValue?] {
    let controls = try await device.controls().filter { !$0.control.flags.contains(.inactive) }
    return Dictionary(uniqueKeysWithValues: controls.map { ($0.control.id, $0.value) })
  }
}
