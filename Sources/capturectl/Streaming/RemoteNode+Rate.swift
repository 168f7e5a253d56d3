import CaptureClient

extension RemoteNode {
  /// For each of a session's cameras, the bound that keeps it from the rate of its format.
  func rateBounds(of session: SessionStatus) async -> [RateBound?] {
    var bounds: [RateBound?] = []
    for input in session.configuration.inputs {
      let asked = input.format?.interval?.rate
      bounds.append(asked == nil ? nil : try? await camera(input.camera).rateBound(asked: asked!))
    }
    return bounds
  }
}

extension RateBound: JSONValue {
  var json: JSON {
    [
      "asked_fps": JSON.number(asked, decimals: 3), "highest_fps": JSON.number(highest, decimals: 3),
      "bound_by": "frame-duration",
    ]
  }
}
