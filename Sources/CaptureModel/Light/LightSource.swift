/// A lamp beside a camera that its driver does not know.
public protocol LightSource: Sendable {
  /// For a person: "LED white:torch".
  var name: String { get }
  /// More levels than off and on.
  var hasLevel: Bool { get }
  /// 0 (off) to 1.
  func level() throws(CaptureError) -> Double
  /// Sets it, 0 (off) to 1. Throws `unavailable` or `permissionDenied`, saying what to do.
  func set(_ level: Double) throws(CaptureError)
}
