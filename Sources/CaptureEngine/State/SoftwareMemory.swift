import CaptureModel

/// The node's own automatic modes that follow the scene, and that continue when the camera returns or the node restarts. For modes that are off, it has
/// the points for when they are on again. A search that was to run once is not here: its result is kept as a control, or nobody waits for it any more.
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
  /// The modes that are on.
  public var focus: Focus?
  public var exposure: Exposure?
  /// Whether white balance follows the light.
  public var whiteBalance = false
  /// Whether the torch follows the light.
  public var torch: Bool?
  /// Modes that are off, but with another point or bias than usual.
  public var restingFocus: Focus?
  public var restingExposure: Exposure?

  /// `nil`: no mode is on or has other values than usual.
  public init?(_ settings: CameraSettings, _ kept: SoftwareAbilities.Kept) {
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
    let rests = restingFocus != nil || restingExposure != nil
    if focus == nil, exposure == nil, !whiteBalance, torch == nil, !rests { return nil }
  }

  /// The request that restores these modes.
  public var request: SoftwareRequest {
    var request = SoftwareRequest()
    if let focus = focus ?? restingFocus {
      var task = SoftwareRequest.Focus()
      if self.focus != nil { task.mode = .continuous }
      task.point = NormalizedPoint(clampingX: focus.x, y: focus.y)
      task.range = FocusRange(rawValue: focus.range)
      request.focus = task
    }
    if let exposure = exposure ?? restingExposure {
      var task = SoftwareRequest.Exposure()
      if self.exposure != nil { task.mode = .continuous }
      task.point = NormalizedPoint(clampingX: exposure.x, y: exposure.y)
      task.bias = exposure.bias
      request.exposure = task
    }
    if whiteBalance {
      request.whiteBalance = SoftwareRequest.WhiteBalance()
      request.whiteBalance?.mode = .continuous
    }
    request.torch = torch
    return request
  }
}
