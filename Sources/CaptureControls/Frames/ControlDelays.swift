import CaptureModel

/// The delays of a camera's controls. At first they are those of a table of known drivers. Delays that the node saw in pictures replace them, and
/// delays that a calibration measured replace both (``subscript(_:)``).
public struct ControlDelays: Hashable, Sendable {
  /// The delay of controls that nobody measured.
  public let assumed: ControlDelay
  /// The delays that a calibration measured, by control.
  public private(set) var measured: [ControlID: ControlDelay] = [:]
  /// The delays that the node saw in pictures after it set a control itself, by control.
  public private(set) var observed: [ControlID: ControlDelay] = [:]
  /// Delays shorter than the present one that were seen once, by control.
  private var shorter: [ControlID: Int] = [:]

  /// The delays of a camera for which nothing was measured.
  public init(driver: String) {
    assumed = ControlDelay(frames: Self.known[driver] ?? Self.longestKnown, provenance: .assumed)
  }

  /// The longest delay of the known cameras, assumed for an unknown driver. It is better to name a frame too late than too early, because a frame
  /// that is too early may still show the old value.
  public static let longestKnown = 5

  /// The usual delays of a driver's cameras.
  private static let known: [String: Int] = [
    "synthetic": 0,
    "vivid": 0,
    "uvcvideo": 2,
  ]

  public subscript(control: ControlID) -> ControlDelay {
    measured[control] ?? observed[control] ?? unmeasured(control)
  }

  private func unmeasured(_ control: ControlID) -> ControlDelay { control == .lamp ? Self.lamp : assumed }

  /// An LED has its level by the next exposure.
  private static let lamp = ControlDelay(frames: 0, provenance: .assumed)

  /// Takes a delay that the node saw. A measured delay has priority.
  ///
  /// A delay at least as long as the present one counts at once. A shorter one counts only if two in a row were seen, and then the longer of the two
  /// is taken: with too short a delay, a frame is named that may still show the old value, and a picture that moved by itself may have looked like
  /// the answer to a setting.
  public mutating func observe(_ frames: Int, of control: ControlID) {
    var frames = max(0, frames)
    let present = observed[control] ?? unmeasured(control)
    if frames < present.frames {
      guard let other = shorter[control] else {
        shorter[control] = frames
        return
      }
      frames = max(frames, other)
    }
    shorter[control] = nil
    observed[control] = ControlDelay(frames: frames, provenance: .observed)
  }

  /// Takes over the delays that the node saw when the camera was here before.
  public mutating func recall(_ others: ControlDelays?) { observed = others?.observed ?? [:] }

  /// Takes a measured delay; `nil` removes it.
  public mutating func set(_ frames: Int?, for control: ControlID) {
    measured[control] = frames.map { ControlDelay(frames: max(0, $0), provenance: .calibrated) }
  }
}
