import CaptureModel

/// A camera's delays by control. A table of known drivers is the start; what a calibration measured takes its place
/// (``subscript(_:)``). Each camera's controller holds one.
public struct ControlDelays: Hashable, Sendable {
  /// Of controls that were not measured.
  public let assumed: ControlDelay
  /// By control, those that were measured.
  public private(set) var measured: [ControlID: ControlDelay] = [:]
  /// By control, those that were seen in pictures when the node itself set something.
  public private(set) var observed: [ControlID: ControlDelay] = [:]

  /// Of a camera that nothing was measured of.
  public init(driver: String) {
    assumed = ControlDelay(frames: Self.known[driver] ?? Self.latest, provenance: .assumed)
  }

  /// As late as cameras get: of one that nobody knows a frame is better named too late than too early, when it may still show what was before.
  static let latest = 5

  /// What cameras of a driver usually do.
  private static let known: [String: Int] = [
    "synthetic": 0,
    "vivid": 0,
    "uvcvideo": 2,
  ]

  public subscript(control: ControlID) -> ControlDelay {
    measured[control] ?? observed[control] ?? (control == .lamp ? Self.lamp : assumed)
  }

  /// Nothing lies between an LED and the next exposure.
  private static let lamp = ControlDelay(frames: 0, provenance: .assumed)

  /// Takes what was seen. What was measured goes before it.
  public mutating func observe(_ frames: Int, of control: ControlID) {
    observed[control] = ControlDelay(frames: max(0, frames), provenance: .observed)
  }

  /// What was seen of the camera when it was here before.
  public mutating func recall(_ others: ControlDelays?) { observed = others?.observed ?? [:] }

  /// Takes what was measured; `nil` forgets it.
  public mutating func set(_ frames: Int?, for control: ControlID) {
    measured[control] = frames.map { ControlDelay(frames: max(0, $0), provenance: .calibrated) }
  }
}
