/// Frames between a change of a control and the first frame that has it: 0 is the first frame whose exposure began after the change.
public struct ControlDelay: Hashable, Sendable {
  /// 0 and more.
  public var frames: Int
  /// `calibrated`: measured from this camera's pixels; `assumed`: what such cameras do.
  public var provenance: Provenance

  public init(frames: Int, provenance: Provenance) {
    self.frames = frames
    self.provenance = provenance
  }
}

/// A camera's delays by control. A table of known drivers is the start; what a calibration measured takes its place
/// (``subscript(_:)``). Each camera's controller holds one.
public struct ControlDelays: Hashable, Sendable {
  /// Of controls that were not measured.
  public let assumed: ControlDelay
  /// By control, those that were measured.
  public private(set) var measured: [ControlID: ControlDelay] = [:]

  /// Of a camera that nothing was measured of.
  public init(driver: String) {
    assumed = ControlDelay(frames: Self.known[driver] ?? 1, provenance: .assumed)
  }

  /// What cameras of a driver usually do; others take a frame, as most sensors latch their registers between frames.
  private static let known: [String: Int] = [
    "synthetic": 0,
    "vivid": 0,
    "uvcvideo": 2,
  ]

  public subscript(control: ControlID) -> ControlDelay {
    measured[control] ?? (control == .lamp ? Self.lamp : assumed)
  }

  /// Nothing lies between an LED and the next exposure.
  private static let lamp = ControlDelay(frames: 0, provenance: .assumed)

  /// Takes what was measured; `nil` forgets it.
  public mutating func set(_ frames: Int?, for control: ControlID) {
    measured[control] = frames.map { ControlDelay(frames: max(0, $0), provenance: .calibrated) }
  }
}
