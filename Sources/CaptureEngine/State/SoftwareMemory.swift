import CaptureModel

/// The node's own automatic modes that follow the scene, and that continue when the camera returns or the node restarts. For modes that are off, it
/// has the points for when they are on again. It has no search that was to run once: the result is kept as a control, or nobody waits for the search
/// any more. It only has the camera's own mode from which such a search took over (``ownModes``).
public struct SoftwareMemory: Hashable, Sendable, Codable {
  public struct Focus: Hashable, Sendable, Codable {
    var x: Double
    var y: Double
    var range: String
  }
  public struct Exposure: Hashable, Sendable, Codable {
    var x: Double
    var y: Double
    /// EV.
    var bias: Double
  }
  /// The focus mode, if it is on.
  public var focus: Focus?
  /// The exposure mode, if it is on.
  public var exposure: Exposure?
  /// Whether white balance follows the light.
  public var whiteBalance = false
  /// Whether the torch follows the light.
  public var torch: Bool?
  /// The focus mode, if it is off but has another point or range than usual.
  public var restingFocus: Focus?
  /// The exposure mode, if it is off but has another point or bias than usual.
  public var restingExposure: Exposure?

  /// The names of the groups (``SettingGroup``) in which a mode of the node's has taken over from the camera's own automatic mode; `nil`: none.
  var ownModes: [String]?

  /// `displaced`: the camera's own modes from which the node's have taken over, and the points, the range and the bias from before. Returns `nil` if
  /// no mode is on or has other values than usual.
  public init?(
    _ settings: CameraSettings, _ kept: SoftwareAbilities.Kept, displaced: SettingsChange = SettingsChange()
  ) {
    let names = Self.ownModes(displaced)
    if !names.isEmpty { ownModes = names }
    var kept = kept
    kept.focusPoint = displaced.focus.point ?? kept.focusPoint
    kept.focusRange = displaced.focus.range ?? kept.focusRange
    kept.exposurePoint = displaced.exposure.point ?? kept.exposurePoint
    kept.bias = displaced.exposure.bias ?? kept.bias
    if let now = settings.focus, now.isSoftware, now.mode == .continuous {
      let point = now.point ?? .center
      focus = Focus(x: point.x, y: point.y, range: (now.range ?? FocusRange.none).rawValue)
    } else if kept.focusPoint != .center || kept.focusRange != FocusRange.none {
      restingFocus = Focus(x: kept.focusPoint.x, y: kept.focusPoint.y, range: kept.focusRange.rawValue)
    }
    if let now = settings.exposure, now.isSoftware, now.mode == .continuous {
      let point = now.point ?? .center
      exposure = Exposure(x: point.x, y: point.y, bias: now.bias)
    } else if kept.exposurePoint != .center || kept.bias != 0 {
      restingExposure = Exposure(x: kept.exposurePoint.x, y: kept.exposurePoint.y, bias: kept.bias)
    }
    if let now = settings.whiteBalance { whiteBalance = now.isSoftware && now.mode == .continuous }
    if let now = settings.torch, now.isSoftware { torch = true }
    if isEmpty { return nil }
  }

  /// Whether no mode is on or has other values than usual.
  var isEmpty: Bool {
    let rests = restingFocus != nil || restingExposure != nil
    return focus == nil && exposure == nil && !whiteBalance && torch == nil && !rests && ownModes == nil
  }

  /// Notes that the camera has the automatic modes of this change again. The node's other modes stay, and so does the torch's.
  package mutating func noteGivenBack(_ change: SettingsChange) {
    let names = Self.ownModes(change)
    ownModes?.removeAll(where: names.contains)
    if ownModes?.isEmpty == true { ownModes = nil }
    if change.focus.mode != nil { focus = nil }
    if change.exposure.mode != nil { exposure = nil }
    if change.whiteBalance.mode != nil { whiteBalance = false }
  }

  /// The names of the groups in which a change sets a mode.
  private static func ownModes(_ change: SettingsChange) -> [String] {
    let modes = [
      (change.focus.mode != nil, SettingGroup.focus), (change.exposure.mode != nil, .exposure),
      (change.whiteBalance.mode != nil, .whiteBalance),
    ]
    return modes.filter(\.0).map(\.1.name)
  }

  private func hasOwnMode(_ group: SettingGroup) -> Bool { ownModes?.contains(group.name) ?? false }

  /// The request that restores these modes. The camera gets its own mode back in place of a search that was to run once.
  public var request: SoftwareRequest {
    var request = SoftwareRequest()
    if self.focus == nil, hasOwnMode(.focus) {
      request.focus = .release
      request.focus?.owed = .init(mode: .continuous)
    }
    if self.exposure == nil, hasOwnMode(.exposure) {
      request.exposure = .release
      request.exposure?.owed = .init(mode: .continuous)
    }
    if !whiteBalance, hasOwnMode(.whiteBalance) {
      request.whiteBalance = .release
      request.whiteBalance?.owed = .init(mode: .continuous)
    }
    if let focus = focus ?? restingFocus {
      var task = request.focus ?? SoftwareRequest.Focus()
      if self.focus != nil { (task.mode, task.endsCameraMode) = (.continuous, hasOwnMode(.focus)) }
      task.point = NormalizedPoint(clampingX: focus.x, y: focus.y)
      task.range = FocusRange(rawValue: focus.range)
      request.focus = task
    }
    if let exposure = exposure ?? restingExposure {
      var task = request.exposure ?? SoftwareRequest.Exposure()
      if self.exposure != nil { (task.mode, task.endsCameraMode) = (.continuous, hasOwnMode(.exposure)) }
      task.point = NormalizedPoint(clampingX: exposure.x, y: exposure.y)
      task.bias = exposure.bias
      request.exposure = task
    }
    if whiteBalance {
      request.whiteBalance = SoftwareRequest.WhiteBalance()
      request.whiteBalance?.mode = .continuous
      request.whiteBalance?.endsCameraMode = hasOwnMode(.whiteBalance)
    }
    request.torch = torch
    return request
  }
}
