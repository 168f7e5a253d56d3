public import CaptureModel

/// A bound of a camera's frame duration that keeps the camera below the requested rate. Fewer frames come then, and that is no error.
public struct RateBound: Hashable, Sendable {
  /// The requested rate, and the highest one that the bound allows, in frames a second.
  public var asked, highest: Double

  /// `nil` where `highest` is at least the requested rate, or up to 0.5 % below it.
  package init?(asked: Double, highest: Double?) {
    guard let highest, highest < asked * 0.995 else { return nil }
    self.asked = asked
    self.highest = highest
  }
}

extension Camera {
  /// The bound that keeps the camera from a rate (`AVCaptureDevice.activeVideoMinFrameDuration`); `nil`: none does. `asked`: frames a second.
  /// Throws as ``Camera/settings()`` does.
  public func rateBound(asked: Double) async throws(CaptureError) -> RateBound? {
    RateBound(asked: asked, highest: try await settings().frameDuration?.minimum?.rate)
  }
}

extension VideoOutput {
  /// The bound that keeps the output's camera from a rate, in frames a second; `nil`: none does. Throws `notFound` for a camera or session that is
  /// not there.
  public func rateBound(asked: Double) async throws(CaptureError) -> RateBound? {
    switch origin {
    case .camera(let name): return try await node.camera(name).rateBound(asked: asked)
    case .session(let name, let output):
      let configuration = try await node.session(name).status().configuration
      let connection = configuration.connections.first { output == nil || $0.output == output }
      guard let camera = connection?.camera ?? configuration.inputs.first?.camera else { return nil }
      return try await node.camera(camera).rateBound(asked: asked)
    }
  }
}
