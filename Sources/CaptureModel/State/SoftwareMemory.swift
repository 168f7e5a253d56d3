/// The node's own automatic modes that follow the scene, to go on where the camera returns or the node starts anew. What was to be found once
/// is not among them: it was found, and is kept as a control, or nobody waits for it any more.
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
  public var focus: Focus?
  public var exposure: Exposure?
  public var balances = false
  /// The torch follows the light.
  public var torch: Bool?

  private enum CodingKeys: String, CodingKey { case focus, exposure, balances = "whiteBalance", torch }

  /// What is on; `nil`: nothing.
  public init?(_ settings: CameraSettings) {
    if let now = settings.focus, now.isSoftware, now.mode == .continuous {
      let point = now.point ?? .center
      focus = Focus(x: point.x, y: point.y, range: (now.range ?? FocusRange.none).rawValue)
    }
    if let now = settings.exposure, now.isSoftware, now.mode == .continuous {
      let point = now.point ?? .center
      exposure = Exposure(x: point.x, y: point.y, bias: now.bias)
    }
    if let now = settings.whiteBalance { balances = now.isSoftware && now.mode == .continuous }
    if let now = settings.torch, now.isSoftware { torch = true }
    if focus == nil, exposure == nil, !balances, torch == nil { return nil }
  }

  /// What begins it again.
  public var request: SoftwareRequest {
    var request = SoftwareRequest()
    if let focus {
      var task = SoftwareRequest.Focus()
      task.mode = .continuous
      task.point = NormalizedPoint(clampingX: focus.x, y: focus.y)
      task.range = FocusRange(rawValue: focus.range)
      request.focus = task
    }
    if let exposure {
      var task = SoftwareRequest.Exposure()
      task.mode = .continuous
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
