import CaptureClient
import CaptureModel

/// A camera whose frame duration is bounded gives fewer frames than were asked for, and nothing is wrong.
struct RateBound: Equatable {
  /// Frames a second.
  var asked, highest: Double

  /// `nil` where `highest` is at least the requested rate.
  init?(asked: Double, highest: Double?) {
    guard let highest, highest < asked * 0.995 else { return nil }
    self.asked = asked
    self.highest = highest
  }
}

extension JSON {
  init(_ bound: RateBound) {
    self = [
      "asked_fps": .number(bound.asked, decimals: 3), "highest_fps": .number(bound.highest, decimals: 3),
      "bound_by": "frame-duration",
    ]
  }
}

extension RemoteNode {
  /// The bound that keeps a source from a rate; `nil` where none does, or the node does not say.
  func rateBound(of source: PictureSource, asked: Double?) async -> RateBound? {
    guard let asked else { return nil }
    return RateBound(asked: asked, highest: try? await highestRate(of: source))
  }

  /// The same for each of a session's cameras, with the rates of their formats.
  func rateBounds(of session: SessionStatus) async -> [RateBound?] {
    var bounds: [RateBound?] = []
    for input in session.configuration.inputs {
      bounds.append(await rateBound(of: .camera(input.camera), asked: input.format?.interval?.rate))
    }
    return bounds
  }

  /// The rate, in frames a second, that a camera's least frame duration allows; `nil` without such a bound.
  private func highestRate(of source: PictureSource) async throws -> Double? {
    let camera: String
    switch source {
    case .camera(let name): camera = name
    case .session(let name, let output):
      let configuration = try await session(name).configuration
      let connection = configuration.connections.first { output == nil || $0.output == output }
      guard let found = connection?.camera ?? configuration.inputs.first?.camera else { return nil }
      camera = found
    }
    guard let least = try await settings(of: camera).minimumFrameDuration, least.numerator > 0 else {
      return nil
    }
    return Double(least.denominator) / Double(least.numerator)
  }
}
