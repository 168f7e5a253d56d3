import CaptureModel
import CaptureSynthetic
import Testing

@testable import CaptureEngine

/// What a camera gets back from a search.
enum SetBack: CaseIterable {
  /// The exposure that a search for focus has borrowed, which finds what it looks for.
  case borrowedExposure
  // What was there before a search that found nothing.
  case exposure
  case focus
  case whiteBalance

  func ask(_ change: inout SettingsChange) {
    switch self {
    case .borrowedExposure: change.focus = .init(mode: .auto, point: try? NormalizedPoint(x: 0.25, y: 0.25))
    case .exposure: change.exposure.mode = .auto
    case .focus: change.focus.mode = .auto
    case .whiteBalance: change.whiteBalance.colour = .greyWorld
    }
  }

  /// Sets the value by hand.
  func setByHand(_ change: inout SettingsChange) {
    switch self {
    case .borrowedExposure, .exposure: change.exposure.duration = 0.002
    case .focus: change.focus.lensPosition = 0.5
    case .whiteBalance: change.whiteBalance.colour = WhiteBalanceGains(checking: 2, 1, 1.5).map { .gains($0) }
    }
  }

  func hasEnded(_ settings: CameraSettings) -> Bool {
    switch self {
    case .borrowedExposure, .focus: settings.focus?.mode == .locked
    case .exposure: settings.exposure?.mode == .locked
    case .whiteBalance: settings.whiteBalance?.mode == .locked
    }
  }

  /// Whether what is set back of the one is so in the other.
  func isSame(_ a: CameraSettings, _ b: CameraSettings) -> Bool {
    switch self {
    case .borrowedExposure, .exposure:
      a.exposure?.duration == b.exposure?.duration && a.exposure?.gain == b.exposure?.gain
    case .focus: a.focus?.lensPosition == b.focus?.lensPosition
    case .whiteBalance: a.whiteBalance?.gains == b.whiteBalance?.gains
    }
  }

  /// How the notice begins that it is not set back.
  var beginOfNotice: String {
    switch self {
    case .borrowedExposure, .exposure:
      "the exposure duration should be 0.0123 s again after a search, but is "
    case .focus: "the lens position should be 0.23"
    case .whiteBalance: "the white balance should be red "
    }
  }

  var control: ControlID {
    switch self {
    case .borrowedExposure, .exposure: .exposureAbsolute
    case .focus: .focusAbsolute
    case .whiteBalance: .redBalance
    }
  }
}

/// A camera in a light in which a search gives something back, and which refuses to take it.
struct SetBackRun {
  let setBack: SetBack
  let rig: StagedRig
  let stream: FrameSubscription
  /// The settings before the search.
  let before: CameraSettings
  /// What the camera is to take back.
  let value: ControlValue

  init(_ setBack: SetBack) async throws {
    self.setBack = setBack
    var options = PhysicsOptions.manual(delay: 1)
    switch setBack {
    case .borrowedExposure: options.light = 4
    case .exposure: options.light = -16
    case .focus, .whiteBalance: options.light = 14
    }
    rig = try await StagedRig(options)
    stream = try await rig.stream()
    _ = try await rig.set { change in
      change.exposure = .init(duration: 0.0123, gain: 16)
      change.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 4000))
      change.focus.lensPosition = 0.2345
    }
    before = try #require(await rig.device.knownSettings())
    value = try #require(try await rig.camera.values(of: [setBack.control]).first)
  }

  /// The camera refuses to take it back from now on; `times`: that often, then no more.
  func refuse(times: Int? = nil) {
    rig.camera.refuse(StagedCamera.refused, of: setBack.control, at: value, times: times)
  }

  /// Begins the search, and steps until that has ended and the camera has refused twice.
  func runUntilItIsRefused() async throws {
    refuse()
    _ = try await rig.set(setBack.ask)
    let count = await rig.steps(900) { setBack.hasEnded($0) && rig.camera.refusals >= 2 }
    #expect(count < 900, "nothing is refused")
    #expect(rig.software.wantsFrames)
  }

  /// Steps until the node's modes have nothing to do any more.
  func runToRest() async {
    let count = await rig.steps(900) { setBack.hasEnded($0) && !rig.software.wantsFrames }
    #expect(count < 900, "it does not end")
  }

  var isBack: Bool {
    get async throws {
      let present = try #require(await rig.device.knownSettings())
      let values = try await rig.camera.values(of: [setBack.control])
      return setBack.isSame(present, before) && values == [value]
    }
  }

  /// What of the value is kept for the camera's return.
  var kept: ControlValue? {
    get async { await rig.device.memory.controls.entries.first { $0.id == setBack.control }?.value }
  }

  var told: [String] { rig.told(.controlNotRestored) }
}
