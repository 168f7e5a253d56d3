/// A lamp beside a camera, which the camera's driver does not know: an LED of the system, or a test's. Its level is read and set by the system, which may
/// take any time.
package protocol LightSource: Sendable {
  /// The name for a person: "LED white:torch".
  var name: String { get }
  /// How many levels it has beside off: equally spaced, the last one is full brightness. `nil`: it takes any level.
  var steps: Int? { get }
  /// Returns the level, 0 (off) to 1.
  func level() throws(CaptureError) -> Double
  /// Sets the level, 0 (off) to 1. Throws `unavailable` or `permissionDenied`, whose messages say what to do.
  func set(_ level: Double) throws(CaptureError)
}

extension LightSource {
  /// Whether it has more levels than off and on.
  package var hasLevel: Bool { steps != 1 }
}
