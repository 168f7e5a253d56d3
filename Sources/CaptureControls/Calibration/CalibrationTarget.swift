import CaptureModel

/// A control that a calibration measures.
public struct CalibrationTarget: Hashable, Sendable {
  public let control: ControlDescription
  /// Whether the control takes time to move, as a lens does. The delay is then counted to the first frame in which the picture begins to change.
  public let isActuator: Bool
  /// Values that are set before the control is measured, and that stay meanwhile.
  public let requirements: [ControlAssignment]

  /// Pairs of values between which the picture changes, if the control shows at all. The first pair that shows a change is used.
  public let pairs: [(Int64, Int64)]

  public static func == (a: Self, b: Self) -> Bool { a.control == b.control }
  public func hash(into hasher: inout Hasher) { hasher.combine(control) }

  /// Controls that usually show in pictures, in the order of measurement. Controls that move something come last.
  private static let usual: [ControlID] =
    controlsOfSettings { !$0.isActuator } + [
      .brightness, .contrast, .saturation, .hue, .gamma, .sharpness, .backlightCompensation,
      .redBalance, .blueBalance, .flashLEDMode, .horizontalFlip, .verticalFlip,
    ] + actuators
  private static let actuators = controlsOfSettings(where: \.isActuator) + [.panAbsolute, .tiltAbsolute]

  /// The controls of settings that pictures show.
  private static func controlsOfSettings(where isWanted: (ControlMapping.Value) -> Bool) -> [ControlID] {
    ControlMapping.values.filter { $0.setting.row.showsInPictures && isWanted($0) }.map(\.control)
  }

  /// The controls of a camera that usually show. `list`: its controls while the automatic modes are off; `numbers`: their values.
  public static func usual(
    _ list: [ControlDescription], numbers: SettingsMap.Numbers, interval: FrameInterval?
  ) -> [CalibrationTarget] {
    usual.compactMap { id in
      list.first { $0.id == id }.flatMap {
        CalibrationTarget($0, value: numbers[id], among: list, interval: interval)
      }
    }
  }

  /// `nil`: the control cannot be set, or does not have two values.
  public init?(
    _ control: ControlDescription, value: Int64?, among list: [ControlDescription], interval: FrameInterval?
  ) {
    let isTorch = control.id == .torchIntensity
    guard control.flags.isDisjoint(with: [.readOnly, .disabled, .grabbed]), control.keepsValue,
      control.isReadable,
      isTorch || !control.flags.contains(.inactive), control.elements == 1, control.dimensions.isEmpty
    else { return nil }
    self.control = control
    isActuator = Self.actuators.contains(control.id)
    requirements =
      isTorch && list.contains { $0.id == .flashLEDMode }
      ? [ControlAssignment(.flashLEDMode, .integer(Self.torchMode))] : []
    let candidates = Self.candidates(control, value: value ?? control.defaultValue, interval: interval)
    var pairs: [(Int64, Int64)] = []
    for (first, second) in candidates {
      guard case .integer(let a)? = try? control.checked(.integer(first), clamping: true),
        case .integer(let b)? = try? control.checked(.integer(second), clamping: true), a != b,
        !pairs.contains(where: { $0 == (a, b) })
      else { continue }
      pairs.append((a, b))
    }
    guard !pairs.isEmpty else { return nil }
    self.pairs = pairs
  }

  /// `V4L2_FLASH_LED_MODE_TORCH`
  private static let torchMode: Int64 = 2

  private static func candidates(_ control: ControlDescription, value: Int64, interval: FrameInterval?)
    -> [(Int64, Int64)]
  {
    switch (control.id, control.type) {
    case (.flashLEDMode, _):
      // The flash is not used: it is over within one frame.
      return control.menu.contains { $0.index == torchMode } ? [(Int64(0), torchMode)] : []
    case (_, .boolean): return [(value, 1 - value)]
    case (_, .menu), (_, .integerMenu):
      return control.menu.map { $0.index }.filter { $0 != value }.prefix(4).map { (value, $0) }
    case (.exposureAbsolute, .integer):
      // Exposures stay within the time of a frame: longer ones slow the camera down.
      let longest =
        interval.map { max(control.minimum, Int64((Double($0.nanoseconds) / 100_000 * 0.9).rounded())) }
        ?? value
      let now = min(max(value, control.minimum), longest)
      return [(now, now / 2), (now, now / 4), (longest, longest / 4), (longest, control.minimum)]
    case (_, .integer), (_, .u8), (_, .u16), (_, .u32), (_, .bitmask):
      let (low, high) = (Double(control.minimum), Double(control.maximum))
      let (span, from) = (high - low, Double(value))
      var pairs: [(Int64, Int64)] = []
      for part in [0.125, 0.25, 0.5] {
        let steps = from - low > high - from ? [-part, part] : [part, -part]
        for step in steps {
          let to = from + step * span
          if to >= low, to <= high { pairs.append((value, Int64(to.rounded()))) }
        }
      }
      // Near the present value a change may not show, as behind the sharpest position of a lens, or at the end of a range.
      pairs.append((Int64((low + 0.25 * span).rounded()), Int64((low + 0.75 * span).rounded())))
      return pairs + [(control.minimum, control.maximum)]
    default: return []
    }
  }
}
