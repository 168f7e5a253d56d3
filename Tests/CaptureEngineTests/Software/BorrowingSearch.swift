import CaptureModel
import CaptureSynthetic
import Testing

@testable import CaptureEngine

/// A search that exposes where the picture is white, or clips, with the exposure that was set by hand.
enum BorrowingSearch: CaseIterable {
  case focus
  case grey

  func ask(_ change: inout SettingsChange) {
    switch self {
    case .focus: change.focus.mode = .auto
    case .grey: change.whiteBalance.colour = .greyWorld
    }
  }

  func end(_ change: inout SettingsChange) {
    switch self {
    case .focus: change.focus.mode = .locked
    case .grey: change.whiteBalance.mode = .locked
    }
  }

  func askContinuously(_ change: inout SettingsChange) {
    switch self {
    case .focus: change.focus.mode = .continuous
    case .grey: change.whiteBalance.mode = .continuous
    }
  }

  func isAdjusting(_ settings: CameraSettings) -> Bool {
    switch self {
    case .focus: settings.focus?.isAdjusting != false
    case .grey: settings.whiteBalance?.isAdjusting != false
    }
  }

  func hasEnded(_ settings: CameraSettings) -> Bool {
    switch self {
    case .focus: settings.focus?.mode == .locked
    case .grey: settings.whiteBalance?.mode == .locked
    }
  }

  func hasFound(_ settings: CameraSettings) -> Bool {
    let failure = self == .focus ? settings.focus?.failure : settings.whiteBalance?.failure
    return hasEnded(settings) && failure == nil
  }
}

/// A change of the exposure that the camera refuses.
enum RefusedChange: CaseIterable {
  case atOnce
  /// Its duration is set by then.
  case halfWay
  /// It is a mode of the node's.
  case afterAMode
  /// It takes the exposure from nobody.
  case afterAPoint

  func make(on rig: StagedRig) async {
    var change = SettingsChange()
    var controls: [NamedAssignment] = []
    let refused: ControlID
    switch self {
    case .atOnce:
      change.exposure = .init(duration: 0.002, gain: 100)
      refused = .exposureAbsolute
    case .halfWay:
      change.exposure.duration = 0.002
      controls = [NamedAssignment(name: "gain", value: .literal("100"))]
      refused = .gain
    case .afterAMode:
      change.exposure.mode = .auto
      controls = [NamedAssignment(name: "focus_absolute", value: .literal("300"))]
      refused = .focusAbsolute
    case .afterAPoint:
      change.exposure.point = try? NormalizedPoint(x: 0.25, y: 0.25)
      controls = [NamedAssignment(name: "focus_absolute", value: .literal("300"))]
      refused = .focusAbsolute
    }
    rig.camera.refuse(StagedCamera.refused, of: refused)
    let error = await refusal { [change, controls] in
      _ = try await rig.device.set(change, controls: controls)
    }
    #expect(error == StagedCamera.refused)
    rig.camera.refuse(nil)
  }
}

extension StagedRig {
  /// Begins where the picture is white. `set`: what is asked for.
  static func overexposed(
    isCalibrated: Bool = true, delay: Int = 1, light: Double = 4, _ set: (inout SettingsChange) -> Void
  ) async throws -> (rig: StagedRig, stream: FrameSubscription, before: CameraSettings) {
    var options = PhysicsOptions.manual(delay: delay)
    options.light = light
    let rig = try await StagedRig(options, isCalibrated: isCalibrated)
    let stream = try await rig.stream()
    _ = try await rig.set { $0.exposure = .init(duration: 0.01, gain: 16) }
    let before = try #require(await rig.device.knownSettings())
    _ = try await rig.set(set)
    return (rig, stream, before)
  }

  /// Steps until the search exposes.
  func stepUntilItExposes(_ before: CameraSettings) async {
    let count = await steps(60) { $0.exposure?.duration?.value != before.exposure?.duration?.value }
    #expect(count < 60, "the search does not expose")
  }
}
