import CaptureModel

/// The node's own automatic modes that follow the scene, to go on where the camera returns or the node starts anew, and of those that are off
/// where they are to look when they are on again. What was to be found once is not among them: it was found, and is kept as a control, or nobody
/// waits for it any more.
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
  /// What is on.
  public var focus: Focus?
  public var exposure: Exposure?
  public var balances = false
  /// The torch follows the light.
  public var torch: Bool?
  /// What is off, where it was asked to look or to bias otherwise than usual.
  public var restingFocus: Focus?
  public var restingExposure: Exposure?

  private enum CodingKeys: String, CodingKey {
    case focus, exposure, balances = "whiteBalance", torch, restingFocus, restingExposure
  }

  /// `nil`: nothing is on, or otherwise than usual.
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
    if let now = settings.whiteBalance { balances = now.isSoftware && now.mode == .continuous }
    if let now = settings.torch, now.isSoftware { torch = true }
    let rests = restingFocus != nil || restingExposure != nil
    if focus == nil, exposure == nil, !balances, torch == nil, !rests { return nil }
  }

  /// What has it so again.
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
    if balances {
      request.whiteBalance = SoftwareRequest.WhiteBalance()
      request.whiteBalance?.mode = .continuous
    }
    request.torch = torch
    return request
  }
}
